import { ChevronRight } from "lucide-react";
import { memo } from "react";
import type { ChatMessage, ToolCall } from "../content/index.ts";
import { useConversation } from "../conversation-context.ts";
import { callStatus, STATUS_WORDS, StatusIcon } from "./call-status.tsx";
import { Elapsed } from "./elapsed.tsx";
import "./tools.css";

/** A tool's call as one line, which opens to its input and output. */
export const ToolCallRow = memo(function ToolCallRow({
  call,
  result,
}: {
  call: ToolCall;
  result: ChatMessage | undefined;
}) {
  const { busy, waiting, timings } = useConversation();
  const status = callStatus(result, { busy, waiting });
  return (
    <details className="call" data-testid="tool-call" data-status={status}>
      <summary>
        <StatusIcon status={status} />
        <span className="call-name">{call.name || "tool"}</span>
        <span className="call-gist">{gist(call)}</span>
        {(status === "waiting" || status === "unfinished") && (
          <span className="call-word">{STATUS_WORDS[status]}</span>
        )}
        <Elapsed id={call.id} status={status} timing={timings.get(call.id)} />
        <ChevronRight className="call-chevron" aria-hidden />
      </summary>
      <div className="call-body">
        <Data label="Input" text={call.partial ?? JSON.stringify(call.args, null, 2)} />
        {result && <Data label={result.failed ? "Error" : "Output"} text={pretty(result.text)} />}
      </div>
    </details>
  );
});

function Data({ label, text }: { label: string; text: string }) {
  return (
    <section className="call-data">
      <h4>{label}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text || "(empty)"}</pre>
    </section>
  );
}

/** The first argument that says something in a few words. */
function gist({ args }: ToolCall): string {
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
