import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { Markdown } from "../../markdown/index.ts";
import { Button } from "../../ui/index.ts";
import { type ChatMessage, entriesOf, type MessageToolCall } from "./content.ts";
import { useConversation } from "./conversation-context.ts";
import { MessageList } from "./messages/index.ts";
import {
  callStatus,
  Elapsed,
  STATUS_WORDS,
  StatusIcon,
  subagentName,
  taskOf,
  useSubagentMessages,
} from "./tools/index.ts";
import { WORDS } from "./words.tsx";

type OpenSubagentProps = { path: string[]; messages: ChatMessage[]; onGo: (depth: number) => void };

/** The subagent that the address names, found by the calls that lead to it. */
export function OpenSubagent({ path, messages, onGo }: OpenSubagentProps) {
  const { subagents } = useConversation();
  const found = path.map((id) => {
    const call = messages.flatMap(({ toolCalls }) => toolCalls).find((one) => one.id === id);
    const result = messages.find(({ answers }) => answers === id);
    return { call: call ?? callOf(id, subagents.get(id)), result };
  });
  const known = found.flatMap(({ call, result }) => (call ? [{ call, result }] : []));
  if (known.length === path.length) return <SubagentView path={known} onGo={onGo} />;
  return (
    <div className="note">
      <p>{WORDS.subagentNotInBranch}</p>
      <Button size="small" onClick={() => onGo(0)}>
        {WORDS.backToTheConversation}
      </Button>
    </div>
  );
}

/** A subagent of a subagent is called where the thread's own messages do not tell of it. */
function callOf(
  id: string,
  known: { name: string; taskInput: string | undefined } | undefined,
): MessageToolCall | undefined {
  if (!known) return undefined;
  return { id, name: "task", args: { subagent_type: known.name, description: known.taskInput ?? "" } };
}

type SubagentViewProps = {
  /** The calls that lead here, from the thread's own. */
  path: { call: MessageToolCall; result: ChatMessage | undefined }[];
  /** Goes back to the first so many of the path; 0 is the thread. */
  onGo: (depth: number) => void;
};

/** The conversation of one subagent, under the way back to the thread's. */
function SubagentView({ path, onGo }: SubagentViewProps) {
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
      aria-label={WORDS.subagent(subagentName(last.call))}
    >
      <nav className="crumbs" aria-label={WORDS.subagents}>
        <button type="button" onClick={() => onGo(0)}>
          {WORDS.conversation}
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

function SubagentBody({ call, result }: { call: MessageToolCall; result: ChatMessage | undefined }) {
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
        <Markdown text={taskOf(call) || WORDS.noTaskGiven} />
      </div>
      {said.length > 0 ? (
        <MessageList entries={entriesOf(said)} streaming={status === "running"} plain />
      ) : (
        result && <Markdown text={result.text} />
      )}
    </>
  );
}
