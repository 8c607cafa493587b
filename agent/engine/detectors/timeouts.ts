import type { Span } from "@berth/store";
import type { Evidence, Observation } from "./evidence.ts";

/** Runs that their time limit ended. What was under way then is what took so long. */
export function timeouts(evidence: Evidence): Observation[] {
  const { root } = evidence;
  if (root?.status !== "timeout") return [];
  const stopped = innermost(evidence, root);
  const tool = evidence.tool(stopped);
  const doing = stopped === root ? "" : ` while ${lower(evidence.place(stopped))} was under way`;
  return [
    {
      detector: "timeout",
      error_type: "RunTimeout",
      node: evidence.node(stopped),
      tool,
      message: root.error?.message || "The run exceeded its time limit",
      reason: `The run passed its time limit${doing.replace(/,( was)/, "$1")}.`,
      run_id: stopped.id,
    },
  ];
}

/** Down to what was stopped and had nothing in it that was. */
function innermost(evidence: Evidence, from: Span): Span {
  let at = from;
  for (;;) {
    const next = evidence.children(at).findLast(({ status }) => status === "timeout" || status === "pending");
    if (!next) return at;
    at = next;
  }
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
