import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { Markdown } from "../../../markdown/markdown.tsx";
import { useConversation } from "../conversation-context.ts";
import { entriesOf } from "../messages/entries.ts";
import type { ChatMessage, ToolCall } from "../messages/message.ts";
import { MessageList } from "../messages/message-list.tsx";
import { callStatus, STATUS_WORDS, StatusIcon } from "./call-status.tsx";
import { Elapsed } from "./elapsed.tsx";
import { subagentName, taskOf } from "./subagent-card.tsx";
import { useSubagentMessages } from "./subagent-messages.ts";

type SubagentViewProps = {
  /** The calls that lead here, from the thread's own. */
  path: { call: ToolCall; result: ChatMessage | undefined }[];
  /** Goes back to the first so many of the path; 0 is the thread. */
  onGo: (depth: number) => void;
};

/** The conversation of one subagent, under the way back to the thread's. */
export function SubagentView({ path, onGo }: SubagentViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = path.at(-1);
  const id = last?.call.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves with the subagent
  useEffect(() => heading.current?.focus(), [id]);
  if (!last) return null;
  return (
    <section
      className="subagent-view"
      data-testid="subagent-view"
      aria-label={`Subagent ${subagentName(last.call)}`}
    >
      <nav className="crumbs" aria-label="Subagents">
        <button type="button" onClick={() => onGo(0)}>
          Conversation
        </button>
        {path.map(({ call }, depth) => (
          <span key={call.id} className="crumb">
            <ChevronRight aria-hidden />
            {depth === path.length - 1 ? (
              <span aria-current="page">{subagentName(call)}</span>
            ) : (
              <button type="button" onClick={() => onGo(depth + 1)}>
                {subagentName(call)}
              </button>
            )}
          </span>
        ))}
      </nav>
      <h2 ref={heading} tabIndex={-1} className="visually-hidden">
        {subagentName(last.call)}
      </h2>
      <SubagentBody key={last.call.id} {...last} />
    </section>
  );
}

function SubagentBody({ call, result }: { call: ToolCall; result: ChatMessage | undefined }) {
  const { busy, waiting, timings } = useConversation();
  const messages = useSubagentMessages(call.id);
  const status = callStatus(result, { busy, waiting });
  // The first thing that is said to a subagent is its task, which stands above.
  const first = messages[0];
  const said = first?.role === "user" ? messages.slice(1) : messages;
  return (
    <>
      <div className="subagent-brief">
        <p className="subagent-head">
          <StatusIcon status={status} />
          <span className="call-word">{STATUS_WORDS[status]}</span>
          <Elapsed id={call.id} status={status} timing={timings.get(call.id)} />
        </p>
        <Markdown text={taskOf(call) || "No task was given."} />
      </div>
      {said.length > 0 ? (
        <MessageList entries={entriesOf(said)} streaming={status === "running"} plain />
      ) : (
        result && <Markdown text={result.text} />
      )}
    </>
  );
}
