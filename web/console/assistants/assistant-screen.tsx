import type { Assistant } from "@berth/server";
import { MoreHorizontal, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { graphsOf, isOfGraph, useAssistants } from "../assistant.ts";
import { api, useAction, useAddressQuery, useProject } from "../data/index.ts";
import {
  Ago,
  ConfirmDialog,
  CopyButton,
  Facts,
  JsonView,
  PageHead,
  Section,
  ThingScreen,
} from "../ui/index.ts";
import { AssistantDialog } from "./assistant-dialog.tsx";
import { Versions } from "./versions.tsx";
import "./assistants.css";

/** An assistant: its settings, its versions, and what can be done with it. */
export function AssistantScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const { base } = useProject();
  const back = useListAddress();
  return (
    <ThingScreen<Assistant>
      path={`${base}/assistants/${encodeURIComponent(id)}`}
      title="Assistant"
      back={{ href: back, label: "Assistants" }}
    >
      {(assistant) => <Shown assistant={assistant} base={base} back={back} />}
    </ThingScreen>
  );
}

function useListAddress(): string {
  return `/assistants${useAddressQuery().with({ a: null, b: null })}`;
}

type ShownProps = { assistant: Assistant; base: string; back: string };

function Shown({ assistant, base, back }: ShownProps) {
  const { name, graph_id, version, description, assistant_id, context, config, metadata } = assistant;
  return (
    <>
      <PageHead
        title={name}
        sub={description ?? `The graph ${graph_id}`}
        back={{ href: back, label: "Assistants" }}
        actions={<Actions assistant={assistant} base={base} back={back} />}
      />
      <Facts
        items={[
          { label: "Graph", value: graph_id },
          { label: "Version", value: <span data-testid="version">{version}</span> },
          { label: "Changed", value: <Ago at={assistant.updated_at} /> },
          { label: "Created", value: <Ago at={assistant.created_at} /> },
          {
            label: "Id",
            value: (
              <span className="assistant-id">
                <code>{assistant_id}</code>
                <CopyButton text={assistant_id} label="Copy the id" />
              </span>
            ),
          },
        ]}
      />
      <div className="assistant-parts">
        <Section title="Context" testId="assistant-context-shown">
          <Settings value={context} label="Context" />
        </Section>
        <Section title="Config">
          <Settings value={config} label="Config" />
        </Section>
        <Section title="Metadata">
          <Settings value={metadata} label="Metadata" />
        </Section>
      </div>
      <Versions assistant={assistant} base={base} />
    </>
  );
}

function Settings({ value, label }: { value: object; label: string }) {
  if (Object.keys(value).length === 0) return <p className="assistant-none">Nothing of its own.</p>;
  return <JsonView value={value} label={label} />;
}

function Actions({ assistant, base, back }: ShownProps) {
  const [, navigate] = useLocation();
  const graphs = graphsOf(useAssistants(base).data ?? []);
  const [open, setOpen] = useState<"change" | "delete">();
  const close = () => setOpen(undefined);
  const { assistant_id, name } = assistant;
  return (
    <>
      <Menu
        label={`More about ${name}`}
        icon={<MoreHorizontal />}
        testId="assistant-menu"
        items={[
          {
            ...{ label: "Delete…", icon: <Trash2 />, look: "danger", testId: "delete-assistant" },
            onSelect: () => setOpen("delete"),
          },
        ]}
      />
      <ToStudio id={assistant_id} />
      <Button
        look="primary"
        icon={<Pencil />}
        onClick={() => setOpen("change")}
        data-testid="change-assistant"
      >
        Change
      </Button>
      {open === "change" && (
        <AssistantDialog
          base={base}
          graphs={graphs}
          assistant={assistant}
          onDone={() => {}}
          onClose={close}
        />
      )}
      {open === "delete" && (
        <DeleteAssistant assistant={assistant} base={base} onDeleted={() => navigate(back)} onClose={close} />
      )}
    </>
  );
}

function ToStudio({ id }: { id: string }) {
  const query = useAddressQuery();
  return (
    <Link
      className="button button-plain"
      href={`/studio${query.with({ assistant: id, a: null, b: null })}`}
      data-testid="open-in-studio"
    >
      <Play />
      Open in the studio
    </Link>
  );
}

type DeleteAssistantProps = {
  assistant: Assistant;
  base: string;
  onDeleted: () => void;
  onClose: () => void;
};

function DeleteAssistant({ assistant, base, onDeleted, onClose }: DeleteAssistantProps) {
  const { run, busy } = useAction();
  const { assistant_id, name } = assistant;
  const remove = async () => {
    const path = `${base}/assistants/${assistant_id}`;
    if (await run(() => api(path, { method: "DELETE" }), `${name} is deleted.`)) onDeleted();
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      text={
        <>
          <p>Its versions, runs and crons go with it. Threads stay. This can’t be undone.</p>
          {isOfGraph(assistant) && <p>It is the graph’s own: it exists again at once, as version 1.</p>}
        </>
      }
      confirmText="Delete"
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
