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
import { WORDS } from "./words.ts";
import "./assistants.css";

/** An assistant: its settings, its versions, and what can be done with it. */
export function AssistantScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const { base } = useProject();
  const back = useListAddress();
  return (
    <ThingScreen<Assistant>
      path={`${base}/assistants/${encodeURIComponent(id)}`}
      title={WORDS.assistant}
      back={{ href: back, label: WORDS.assistants }}
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
        sub={description ?? WORDS.theGraph(graph_id)}
        back={{ href: back, label: WORDS.assistants }}
        actions={<Actions assistant={assistant} base={base} back={back} />}
      />
      <Facts
        items={[
          { label: WORDS.graph, value: graph_id },
          { label: WORDS.version, value: <span data-testid="version">{version}</span> },
          { label: WORDS.changed, value: <Ago at={assistant.updated_at} /> },
          { label: WORDS.created, value: <Ago at={assistant.created_at} /> },
          {
            label: WORDS.id,
            value: (
              <span className="assistant-id">
                <code>{assistant_id}</code>
                <CopyButton text={assistant_id} label={WORDS.copyTheId} />
              </span>
            ),
          },
        ]}
      />
      <div className="assistant-parts">
        <Section title={WORDS.context} testId="assistant-context-shown">
          <Settings value={context} label={WORDS.context} />
        </Section>
        <Section title={WORDS.config}>
          <Settings value={config} label={WORDS.config} />
        </Section>
        <Section title={WORDS.metadata}>
          <Settings value={metadata} label={WORDS.metadata} />
        </Section>
      </div>
      <Versions assistant={assistant} base={base} />
    </>
  );
}

function Settings({ value, label }: { value: object; label: string }) {
  if (Object.keys(value).length === 0) return <p className="assistant-none">{WORDS.none}</p>;
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
        label={WORDS.moreActions(name)}
        icon={<MoreHorizontal />}
        testId="assistant-menu"
        items={[
          {
            ...{ label: WORDS.delete, icon: <Trash2 />, look: "danger", testId: "delete-assistant" },
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
        {WORDS.changeIt}
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
      {WORDS.openInTheStudio}
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
    if (await run(() => api(path, { method: "DELETE" }), WORDS.wasDeleted(name))) onDeleted();
  };
  return (
    <ConfirmDialog
      title={WORDS.deleteNamed(name)}
      text={
        <>
          <p>{WORDS.deleteNote}</p>
          {isOfGraph(assistant) && <p>{WORDS.comesBackNote}</p>}
        </>
      }
      confirmText={WORDS.deleteIt}
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
