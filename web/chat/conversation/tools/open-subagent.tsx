import { Button } from "../../../ui/index.ts";
import { useConversation } from "../conversation-context.ts";
import type { ChatMessage, ToolCall } from "../messages/message.ts";
import { SubagentView } from "./subagent-view.tsx";

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
      <p>This subagent is not part of what is shown.</p>
      <Button size="small" onClick={() => onGo(0)}>
        Back to the conversation
      </Button>
    </div>
  );
}

/** A subagent of a subagent is called where the thread's own messages do not tell of it. */
function callOf(
  id: string,
  known: { name: string; taskInput: string | undefined } | undefined,
): ToolCall | undefined {
  if (!known) return undefined;
  return { id, name: "task", args: { subagent_type: known.name, description: known.taskInput ?? "" } };
}
