import { Ban, Check, ChevronRight, CircleDashed, Hand, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { durationText, Spinner, useNow } from "../../../ui/index.ts";
import type { ChatMessage, MessageToolCall } from "../content.ts";
import { useConversation } from "../conversation-context.ts";
import type { CallTimes } from "../timeline/index.ts";
import { WORDS } from "../words.tsx";
import "./tools.css";

/** A tool's call as one line, which opens to its input and output. */
export const ToolCallRow = memo(function ToolCallRow({
  call,
  result,
}: {
  call: MessageToolCall;
  result: ChatMessage | undefined;
}) {
  const { busy, waiting, timings, declined } = useConversation();
  const isDeclined = declined.has(call.id);
  const status = isDeclined && result ? "declined" : callStatus(result, { busy, waiting });
  return (
    <details className="call" data-testid="tool-call" data-status={status}>
      <summary>
        <StatusIcon status={status} />
        <span className="call-name">{call.name || WORDS.unnamedTool}</span>
        <span className="call-gist">{gist(call)}</span>
        {SAID.has(status) && <span className="call-word">{STATUS_WORDS[status]}</span>}
        <Elapsed id={call.id} status={status} timing={timings.get(call.id)} />
        <ChevronRight className="call-chevron" aria-hidden />
      </summary>
      <div className="call-body">
        <Data label={WORDS.input} text={call.partial ?? JSON.stringify(call.args, null, 2)} />
        {result && (
          <Data
            label={result.failed && !isDeclined ? WORDS.error : WORDS.output}
            text={pretty(result.text)}
          />
        )}
      </div>
    </details>
  );
});

function Data({ label, text }: { label: string; text: string }) {
  return (
    <section className="call-data">
      <h4>{label}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text || WORDS.noOutput}</pre>
    </section>
  );
}

/** The first argument that says something in a few words. */
function gist({ args }: MessageToolCall): string {
  const values = Object.values(args).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return String(values[0] ?? "")
    .replace(/\s+/g, " ")
    .slice(0, 120);
}

function pretty(output: string): string {
  if (!/^\s*[[{]/.test(output)) return output;
  try {
    return JSON.stringify(JSON.parse(output), null, 2);
  } catch {
    return output;
  }
}

type CallStatus = "running" | "waiting" | "done" | "error" | "declined" | "unfinished";

/** What is said in words, beside the sign. */
const SAID: ReadonlySet<CallStatus> = new Set(["waiting", "declined", "unfinished"]);

/** How a call is doing, from its answer and from what the run does. */
export function callStatus(
  result: ChatMessage | undefined,
  { busy, waiting }: { busy: boolean; waiting: boolean },
): CallStatus {
  if (result) return result.failed ? "error" : "done";
  if (busy) return "running";
  return waiting ? "waiting" : "unfinished";
}

export const STATUS_WORDS: Record<CallStatus, string> = {
  running: WORDS.running,
  waiting: WORDS.waitingForYou,
  done: WORDS.done,
  error: WORDS.failed,
  declined: WORDS.declined,
  unfinished: WORDS.notFinished,
};

/** The state as an icon; its words are there for those who cannot see it. */
export function StatusIcon({ status }: { status: CallStatus }) {
  return (
    <span className={`call-icon call-icon-${status}`}>
      {status === "running" && <Spinner />}
      {status === "waiting" && <Hand aria-hidden />}
      {status === "done" && <Check aria-hidden />}
      {status === "error" && <TriangleAlert aria-hidden />}
      {status === "declined" && <Ban aria-hidden />}
      {status === "unfinished" && <CircleDashed aria-hidden />}
      <span className="visually-hidden">{STATUS_WORDS[status]}: </span>
    </span>
  );
}

const TICK_MS = 200;
const MAX_SEEN = 5_000;

/** What this page saw itself: the server's clock may differ, and inside of subagents nothing else is known. */
const seen = new Map<string, CallTimes>();

/** How long a call has taken, or is taking, as text; nothing where nobody knows. */
export function Elapsed({ id, status, timing }: { id: string; status: CallStatus; timing?: CallTimes }) {
  const running = status === "running";
  const now = useNow(running ? TICK_MS : null);
  const own = note(id, running, now);
  const from = running ? own : timing?.start !== undefined && timing.end !== undefined ? timing : own;
  // A person takes their time; that is not the tool's.
  if (status === "waiting") seen.delete(id);
  if (from?.start === undefined || SAID.has(status)) return null;
  const end = running ? now : from.end;
  return end === undefined ? null : (
    <span className="elapsed">{durationText(Math.max(1, end - from.start))}</span>
  );
}

function note(id: string, running: boolean, now: number): CallTimes | undefined {
  const known = seen.get(id);
  if (running && !known) {
    if (seen.size > MAX_SEEN) seen.clear();
    seen.set(id, { start: now });
  }
  if (!running && known && known.end === undefined) seen.set(id, { ...known, end: now });
  return seen.get(id);
}
