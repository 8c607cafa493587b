import type { Assistant, Thread } from "@berth/server";
import { Plus } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { Button, classes, SelectField } from "../../ui/index.ts";
import { assistantOptions } from "../assistant.ts";
import { useAddressQuery, useResource } from "../data/index.ts";
import { agoText, useNow } from "../ui/index.ts";
import type { LaneAt } from "./lane-at.ts";
import { SettingsFields } from "./settings.tsx";
import { WORDS } from "./words.tsx";

type LaneHeadProps = LaneAt & { assistants: readonly Assistant[] };

/** Who runs, on which thread, and what is changed for it. */
export function LaneHead({ lane, settings, assistants, choose, open }: LaneHeadProps) {
  const { assistant, threadId } = lane;
  const query = useAddressQuery();
  return (
    <div className="studio-head">
      <div className="studio-choices">
        <SelectField
          label={WORDS.assistant}
          value={assistant?.assistant_id ?? ""}
          options={assistantOptions(assistants)}
          onChange={choose}
          data-testid="studio-assistant"
        />
        <ThreadField key={assistant?.graph_id} lane={lane} open={open} />
        <Button
          icon={<Plus />}
          disabled={threadId === undefined}
          onClick={() => open(null)}
          data-testid="new-thread"
        >
          {WORDS.newThread}
        </Button>
      </div>
      {assistant && (
        <SettingsPart title={WORDS.nextSettings} isChanged={settings.isChanged}>
          <SettingsFields settings={settings} lane={lane} />
          <Link href={`/assistants/${assistant.assistant_id}${query.with(NOT_OF_ASSISTANTS)}`}>
            {WORDS.version(assistant.name, assistant.version)}
          </Link>
        </SettingsPart>
      )}
    </div>
  );
}

const NOT_OF_ASSISTANTS = { assistant: null, thread: null, with: null, with_thread: null };

type SettingsPartProps = { title: string; isChanged: boolean; children: React.ReactNode };

function SettingsPart({ title, isChanged, children }: SettingsPartProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="studio-settings">
      <button
        type="button"
        className="studio-fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        data-testid="studio-settings"
      >
        {title}
        {isChanged && <span className="studio-changed">{WORDS.changed}</span>}
      </button>
      <div id={id} className={classes("studio-settings-body", !isOpen && "studio-hidden")}>
        {children}
      </div>
    </div>
  );
}

const NEWEST = 25;
const TITLE_LENGTH = 48;

type ListedThread = Pick<Thread, "thread_id" | "status" | "updated_at" | "extracted">;

function ThreadField({ lane: { base, assistant, threadId, isAtRest }, open }: Pick<LaneAt, "lane" | "open">) {
  const now = useNow();
  const { data, refresh } = useResource<ListedThread[]>(assistant ? `${base}/threads/search` : null, {
    body: {
      metadata: { graph_id: assistant?.graph_id },
      select: ["thread_id", "status", "updated_at"],
      extract: { first: "values.messages[0].content" },
      ...{ limit: NEWEST, sort_by: "updated_at", sort_order: "desc" },
    },
    live: ["threads"],
  });
  // Nobody tells of the threads of a deployment: they are asked for again when a run of this page begins and ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it is about is only when.
  useEffect(refresh, [refresh, isAtRest]);
  const listed = data ?? [];
  const isListed = threadId === undefined || listed.some(({ thread_id }) => thread_id === threadId);
  return (
    <SelectField
      label={WORDS.thread}
      value={threadId ?? ""}
      options={[
        { value: "", label: WORDS.newThreadOption },
        ...(isListed ? [] : [{ value: threadId, label: WORDS.threadNamed(threadId.slice(-12)) }]),
        ...listed.map((thread) => ({ value: thread.thread_id, label: threadWords(thread, now) })),
      ]}
      onChange={(id) => open(id || null)}
      data-testid="studio-thread"
    />
  );
}

function threadWords({ thread_id, status, updated_at, extracted }: ListedThread, now: number): string {
  const first = extracted?.first;
  const name =
    typeof first === "string" && first !== "" ? first.slice(0, TITLE_LENGTH) : thread_id.slice(-12);
  return `${name} · ${status} · ${agoText(updated_at, now)}`;
}
