import { useMessages } from "@langchain/react";
import { Bot, ChevronRight } from "lucide-react";
import { memo } from "react";
import { classes } from "../../../ui/index.ts";
import { type ChatMessage, type MessageToolCall, readMessages } from "../content.ts";
import { useConversation } from "../conversation-context.ts";
import { useFrame } from "../frame.ts";
import { WORDS } from "../words.tsx";
import { callStatus, Elapsed, STATUS_WORDS, StatusIcon } from "./tool-call.tsx";

/** As many characters of what a subagent writes are shown while it writes. */
const MOST_SHOWN = 96;

/** A subagent at work, or what it came back with. Opens into its own conversation. */
export const SubagentCard = memo(function SubagentCard({
  call,
  result,
}: {
  call: MessageToolCall;
  result: ChatMessage | undefined;
}) {
  const { busy, waiting, timings, openSubagent } = useConversation();
  const status = callStatus(result, { busy, waiting });
  return (
    <button
      type="button"
      className="subagent"
      data-testid="subagent-card"
      data-status={status}
      onClick={() => openSubagent(call.id)}
    >
      <span className="subagent-head">
        <Bot aria-hidden className="subagent-face" />
        <span className="subagent-name">{subagentName(call)}</span>
        <StatusIcon status={status} />
        <span className="call-word">{STATUS_WORDS[status]}</span>
        <Elapsed id={call.id} status={status} timing={timings.get(call.id)} />
        <ChevronRight className="subagent-open" aria-hidden />
      </span>
      <span className="subagent-task">{taskOf(call)}</span>
      {status === "running" ? (
        <Activity callId={call.id} />
      ) : (
        result && <span className="subagent-activity">{result.text.trim()}</span>
      )}
    </button>
  );
});

function Activity({ callId }: { callId: string }) {
  const messages = useSubagentMessages(callId);
  const words = activityOf(messages) || WORDS.starting;
  return (
    <span
      className={classes(
        "subagent-activity subagent-activity-live",
        words.startsWith("…") && "subagent-activity-cut",
      )}
    >
      <span>{words}</span>
    </span>
  );
}

function activityOf(messages: ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant" || message.role === "tool");
  if (!last) return "";
  const call = last.toolCalls.at(-1);
  if (last.role === "assistant" && call) return WORDS.calls(call.name);
  return newestWords(last.text || last.reasoning);
}

/** The end of a text that is being written, from the beginning of a word. */
function newestWords(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const cut = line.slice(-MOST_SHOWN);
  return cut === line ? line : `…${cut.slice(cut.indexOf(" "))}`;
}

/** What a subagent is called. */
export function subagentName({ args, name }: MessageToolCall): string {
  if (typeof args.subagent_type === "string" && args.subagent_type) return args.subagent_type;
  return name === "task" ? WORDS.aSubagent : name;
}

/** What it was asked to do. */
export function taskOf({ args }: MessageToolCall): string {
  return typeof args.description === "string" ? args.description : "";
}

// Until a subagent is known, a namespace that nothing is published under: none at all would be the whole thread.
const NOWHERE = { namespace: ["tools:unknown"] };

/** A subagent's own conversation, live while it works, from its checkpoints afterwards. */
export function useSubagentMessages(callId: string): ChatMessage[] {
  const { stream, subagents } = useConversation();
  const messages = useFrame(useMessages(stream, subagents.get(callId) ?? NOWHERE));
  return readMessages(messages);
}
