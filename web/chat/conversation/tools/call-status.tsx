import { Check, CircleDashed, Hand, TriangleAlert } from "lucide-react";
import { Spinner } from "../../../ui/index.ts";
import type { ChatMessage } from "../content/index.ts";

export type CallStatus = "running" | "waiting" | "done" | "error" | "unfinished";

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
  running: "Running",
  waiting: "Waits for you",
  done: "Done",
  error: "Failed",
  unfinished: "Not finished",
};

/** The state as an icon; its words are there for those who cannot see it. */
export function StatusIcon({ status }: { status: CallStatus }) {
  return (
    <span className={`call-icon call-icon-${status}`}>
      {status === "running" && <Spinner />}
      {status === "waiting" && <Hand aria-hidden />}
      {status === "done" && <Check aria-hidden />}
      {status === "error" && <TriangleAlert aria-hidden />}
      {status === "unfinished" && <CircleDashed aria-hidden />}
      <span className="visually-hidden">{STATUS_WORDS[status]}: </span>
    </span>
  );
}
