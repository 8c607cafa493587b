/** What LangGraph's `tools` mode says of a tool call. */
export type Reported = {
  event?: string;
  toolCallId?: string;
  name?: string;
  input?: unknown;
  output?: unknown;
  data?: unknown;
  error?: unknown;
};

/** The protocol's name for it (`streaming-protocol.md` §3.4). */
export function toolEvent(reported: Reported): Record<string, unknown> {
  const tool_call_id = reported.toolCallId ?? "";
  const { data, error } = reported;
  switch (reported.event) {
    case "on_tool_start":
      return {
        event: "tool-started",
        tool_call_id,
        tool_name: reported.name ?? "unknown",
        input: reported.input,
      };
    case "on_tool_event":
      return {
        event: "tool-output-delta",
        tool_call_id,
        delta: typeof data === "string" ? data : JSON.stringify(data ?? ""),
      };
    case "on_tool_end":
      return { event: "tool-finished", tool_call_id, output: reported.output };
    default:
      return { event: "tool-error", tool_call_id, message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return "unknown error";
}
