import { durationText, useNow } from "../../../ui/index.ts";
import type { Timing } from "../timeline/index.ts";
import type { CallStatus } from "./call-status.tsx";

const TICK_MS = 200;
const MAX_SEEN = 5_000;

/** What this page saw itself: the server's clock may differ, and inside of subagents nothing else is known. */
const seen = new Map<string, Timing>();

/** How long a call has taken, or is taking, as text; nothing where nobody knows. */
export function Elapsed({ id, status, timing }: { id: string; status: CallStatus; timing?: Timing }) {
  const running = status === "running";
  const now = useNow(running ? TICK_MS : null);
  const own = note(id, running, now);
  const from = running ? own : timing?.start !== undefined && timing.end !== undefined ? timing : own;
  if (from?.start === undefined || status === "waiting" || status === "unfinished") return null;
  const end = running ? now : from.end;
  return end === undefined ? null : (
    <span className="elapsed">{durationText(Math.max(1, end - from.start))}</span>
  );
}

function note(id: string, running: boolean, now: number): Timing | undefined {
  const known = seen.get(id);
  if (running && !known) {
    if (seen.size > MAX_SEEN) seen.clear();
    seen.set(id, { start: now });
  }
  if (!running && known && known.end === undefined) seen.set(id, { ...known, end: now });
  return seen.get(id);
}
