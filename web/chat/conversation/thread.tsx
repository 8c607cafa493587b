import { useStreamContext, useSubmissionQueue } from "@langchain/react";
import { Clock, Play, RotateCcw, TriangleAlert, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { reasonOf } from "../../api/index.ts";
import { Button, IconButton } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { Components } from "./component-view.tsx";
import { AT_END, type Entry, readMessages } from "./content.ts";
import { useConversation } from "./conversation-context.ts";
import { StateView } from "./input-form.tsx";
import { Interrupts, Questions, useAnswering } from "./interrupts/index.ts";
import { Dots, MessageList, unknownIn } from "./messages/index.ts";
import { AT_START, type ShownConversation, type StreamedState } from "./timeline/index.ts";
import { WORDS } from "./words.tsx";

type ThreadProps = {
  entries: Entry[];
  shown: ShownConversation;
  onRetry: (unsent: boolean) => void;
};

/** The thread's own conversation, and at its end what the run is at: writing, asking, broken off. */
export function Thread({ entries, shown, onRetry }: ThreadProps) {
  const stream = useStreamContext<StreamedState>();
  const { busy, waiting } = useConversation();
  const { inputSchema } = useSession();
  const { timeline, origins, older } = shown;
  const trouble = useTrouble(shown, busy, waiting);
  const unknown = useMemo(
    () => unknownIn(entries, timeline, origins, older),
    [entries, timeline, origins, older],
  );
  const last = entries.at(-1);
  const offline = last?.kind === "answer" && last.messages.some(({ model }) => model === "offline");
  const { answer } = useAnswering();
  return (
    <>
      <Questions of={AT_START} />
      <MessageList entries={entries} streaming={busy} unknown={unknown} />
      {inputSchema && <StateView values={{ ...stream.values }} />}
      <Components of={AT_END} />
      {busy && last?.kind !== "answer" && <Dots />}
      {waiting && <Interrupts pending={stream.interrupts} onAnswer={answer} />}
      {trouble.kind === "error" && (
        <ErrorBox text={trouble.text} unsent={trouble.unsent} onRetry={() => onRetry(trouble.unsent)} />
      )}
      {trouble.kind === "stopped" && (
        <p className="note">
          {WORDS.youStoppedThisRun}
          <Button
            size="small"
            look="quiet"
            icon={<Play />}
            data-testid="run-again"
            onClick={() => onRetry(false)}
          >
            {WORDS.runAgain}
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
function useTrouble(shown: ShownConversation, busy: boolean, waiting: boolean): Trouble {
  const { error } = useStreamContext<StreamedState>();
  const { lastRun } = useSession();
  if (busy || waiting || shown.view.chosen) return { kind: "none" };
  const last = shown.messages.at(-1);
  const unsent = last?.role === "user" && !shown.timeline.messages.has(last.id);
  if (error && (unsent || lastRun?.status !== "completed"))
    return { kind: "error", text: reasonOf(error), unsent };
  if (lastRun?.status === "failed")
    return { kind: "error", text: lastRun.error ?? WORDS.noReasonGiven, unsent: false };
  // A message that was stopped says so itself.
  return lastRun?.status === "interrupted" && !last?.stopped ? { kind: "stopped" } : { kind: "none" };
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
    else if (waiting) say(WORDS.announceQuestion);
    else if (finished && last?.kind === "answer") say(last.messages.at(-1)?.text ?? WORDS.announceFinished);
  }, [busy, waiting, entries]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  );
}

/** Messages that were sent while an answer was being written. They go out when it is finished. */
export function QueuedMessages() {
  const { entries, cancel } = useSubmissionQueue(useStreamContext<StreamedState>());
  if (entries.length === 0) return null;
  return (
    <ul className="queued" aria-label={WORDS.waitingMessages}>
      {entries.map(({ id, values }) => (
        <li key={id} data-testid="queued-message">
          <Clock aria-hidden />
          <span>{readMessages(values?.messages)[0]?.text || WORDS.message}</span>
          <IconButton label={WORDS.dontSend} size="small" onClick={() => cancel(id)}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** What is known to help, by what the error says. */
const ADVICE: [RegExp, string][] = [
  [/api.?key|unauthori[sz]ed|authentication|\b401\b|\b403\b/i, WORDS.providerKeyHint],
  [/rate.?limit|quota|\b429\b|overloaded/i, WORDS.providerBusyHint],
  [/recursion limit/i, WORDS.stepLimitHint],
  [/context.?(length|window)|too many tokens|maximum context/i, WORDS.conversationTooLongHint],
  [/fetch failed|econn|enotfound|etimedout|network|timed? ?out/i, WORDS.providerUnreachableHint],
];

type ErrorBoxProps = {
  /** What went wrong, in the words of whoever noticed. */
  text: string;
  /** The message did not reach the server. */
  unsent: boolean;
  onRetry: () => void;
};

/** Says that something went wrong, what, and what can be done. */
function ErrorBox({ text, unsent, onRetry }: ErrorBoxProps) {
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1];
  return (
    <div className="error-box" role="alert" data-testid="error-box">
      <TriangleAlert aria-hidden />
      <div className="error-words">
        <p className="error-title">{unsent ? WORDS.messageNotSent : WORDS.agentFailed}</p>
        <p className="error-text">{text}</p>
        <p className="error-advice">{unsent ? WORDS.tryAgainWhenBack : (advice ?? WORDS.retryHint)}</p>
      </div>
      <Button size="small" icon={<RotateCcw />} data-testid="retry" onClick={onRetry}>
        {WORDS.retry}
      </Button>
    </div>
  );
}

/** Says that no real model is talking, and how to get one. */
function OfflineNote() {
  return (
    <p className="note" data-testid="offline-note">
      {WORDS.offlineModelNote}
    </p>
  );
}
