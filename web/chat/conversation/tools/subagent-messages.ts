import { useMessages } from "@langchain/react";
import { type ChatMessage, readMessages } from "../content/index.ts";
import { useConversation } from "../conversation-context.ts";
import { useFrame } from "../frame.ts";

// Until a subagent is known, a namespace that nothing is published under: none at all would be the whole thread.
const NOWHERE = { namespace: ["tools:unknown"] };

/** A subagent's own conversation, live while it works, from its checkpoints afterwards. */
export function useSubagentMessages(callId: string): ChatMessage[] {
  const { stream, subagents } = useConversation();
  const messages = useFrame(useMessages(stream, subagents.get(callId) ?? NOWHERE));
  return readMessages(messages);
}
