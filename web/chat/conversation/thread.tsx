import { useStreamContext, useSubmissionQueue } from "@langchain/react";
import { Clock, Play, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { Components } from "./components/index.ts";
import { AT_END, type Entry, readMessages } from "./content/index.ts";
import { useConversation } from "./conversation-context.ts";
import { OfflineNote } from "./empty-state.tsx";
import { ErrorBox } from "./error-box.tsx";
import { Interrupts } from "./interrupts/index.ts";
import { Dots, MessageList, unknownIn } from "./messages/index.ts";
import type { Shown, ThreadState } from "./timeline/index.ts";

type ThreadProps = {
  entries: Entry[];
  shown: Shown;
  onRetry: (unsent: boolean) => void;
};

/** The thread's own conversation, and at its end what the run is at: writing, asking, broken off. */
export function Thread({ entries, shown, onRetry }: ThreadProps) {
  const stream = useStreamContext<ThreadState>();
  const { busy, waiting } = useConversation();
  const { timeline, origins, older } = shown;
  const trouble = useTrouble(shown, busy, waiting);
  const unknown = useMemo(
    () => unknownIn(entries, timeline, origins, older),
    [entries, timeline, origins, older],
  );
  const last = entries.at(-1);
  const offline = last?.kind === "answer" && last.messages.some(({ model }) => model === "offline");
  const answer = async (answers: Record<string, unknown>) => {
    const [only, ...more] = Object.entries(answers);
    if (only && more.length === 0) await stream.respond(only[1], { interruptId: only[0] });
    else await stream.respondAll(answers);
  };
  return (
    <>
      <MessageList entries={entries} streaming={busy} unknown={unknown} />
      <Components of={AT_END} />
      {busy && last?.kind !== "answer" && <Dots />}
      {waiting && <Interrupts pending={stream.interrupts} onAnswer={answer} />}
      {trouble.kind === "error" && (
        <ErrorBox text={trouble.text} unsent={trouble.unsent} onRetry={() => onRetry(trouble.unsent)} />
      )}
      {trouble.kind === "stopped" && (
        <p className="note">
          The run was stopped.
          <Button size="small" look="quiet" icon={<Play />} onClick={() => onRetry(false)}>
            Go on
          </Button>
        </p>
      )}
      {offline && !busy && !waiting && <OfflineNote />}
      <Announcement entries={entries} busy={busy} waiting={waiting} />
    </>
  );
}

type Trouble = { kind: "none" } | { kind: "stopped" } | { kind: "error"; text: string; unsent: boolean };

/** What is wrong with the newest run, from this page's view and, after a reload, from the server's. */
function useTrouble(shown: Shown, busy: boolean, waiting: boolean): Trouble {
  const { error } = useStreamContext<ThreadState>();
  const { lastRun } = useSession();
  if (busy || waiting || shown.view.chosen) return { kind: "none" };
  const last = shown.messages.at(-1);
  const unsent = last?.role === "user" && !shown.timeline.messages.has(last.id);
  if (error && (unsent || lastRun?.status !== "completed"))
    return { kind: "error", text: error instanceof Error ? error.message : String(error), unsent };
  if (lastRun?.status === "failed")
    return { kind: "error", text: lastRun.error ?? "The server gave no reason.", unsent: false };
  return lastRun?.status === "interrupted" ? { kind: "stopped" } : { kind: "none" };
}

/** Tells those who listen when something is finished, in one piece: the tokens themselves would be noise. */
function Announcement({ entries, busy, waiting }: { entries: Entry[]; busy: boolean; waiting: boolean }) {
  const [said, say] = useState("");
  const wasBusy = useRef(busy);
  useEffect(() => {
    const finished = wasBusy.current && !busy;
    wasBusy.current = busy;
    const last = entries.at(-1);
    if (busy) say("");
    else if (waiting) say("The agent asks you something.");
    else if (finished && last?.kind === "answer")
      say(last.messages.at(-1)?.text ?? "The answer is finished.");
  }, [busy, waiting, entries]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  );
}

/** Messages that were sent while an answer was being written. They go out when it is finished. */
export function QueuedMessages() {
  const { entries, cancel } = useSubmissionQueue(useStreamContext<ThreadState>());
  if (entries.length === 0) return null;
  return (
    <ul className="queued" aria-label="Messages that wait">
      {entries.map(({ id, values }) => (
        <li key={id} data-testid="queued-message">
          <Clock aria-hidden />
          <span>{readMessages(values?.messages)[0]?.text || "Message"}</span>
          <IconButton label="Do not send it" size="small" onClick={() => cancel(id)}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
