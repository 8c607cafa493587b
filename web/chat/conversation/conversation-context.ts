import type { AnyStream, SubagentDiscoverySnapshot } from "@langchain/react";
import { createContext, useContext } from "react";
import type { StreamMethod } from "../../component/index.ts";
import type { ChatAnswer, ChatMessage, UiMessage } from "./content.ts";
import type { AskedQuestion, CallTimes, Fork } from "./timeline/index.ts";
import type { Score } from "./use-scores.ts";

/** What the parts of a conversation share. It changes with a step of the agent, not with a token. */
export type Conversation = {
  /** For hooks that follow a part of the stream; its own snapshot is as old as the stream. */
  stream: AnyStream;
  /** The subagents that were seen, by the call that started each. */
  subagents: ReadonlyMap<string, SubagentDiscoverySnapshot>;
  /** Whether a run is under way. */
  busy: boolean;
  /** Whether the run waits for a person. */
  waiting: boolean;
  timings: ReadonlyMap<string, CallTimes>;
  forks: ReadonlyMap<string, Fork>;
  /** What the agent asked and was answered, by the message before it. */
  questions: ReadonlyMap<string, AskedQuestion[]>;
  /** The calls that a person did not want. */
  declined: ReadonlySet<string>;
  /** The components that the graph shows, by the message that they belong under. */
  ui: ReadonlyMap<string, UiMessage[]>;
  /** Does what a component asks for. */
  act: (method: StreamMethod, args: unknown[]) => Promise<void>;
  scores: ReadonlyMap<string, Score>;
  /** The run that gave an answer, where that is known: only then it can be rated and its trace opened. */
  runOf: (messageId: string) => string | undefined;
  rate: (messageId: string, score: Score) => void;
  /** Shows another branch, by its newest checkpoint. */
  choose: (checkpointId: string) => void;
  /** Says a message again differently. Gives whether that could be sent. */
  edit: (message: ChatMessage, text: string) => Promise<boolean>;
  regenerate: (answer: ChatAnswer) => Promise<void>;
  /** Runs the step again in which a message was stopped, by the message's id. */
  runAgain: (messageId: string) => Promise<void>;
  /** Opens a subagent's own conversation, by the call that started it. */
  openSubagent: (callId: string) => void;
};

export const ConversationContext = createContext<Conversation | undefined>(undefined);

/** The conversation that this component is drawn inside of. */
export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (!conversation) throw new Error("useConversation() is for components inside of <Conversation>");
  return conversation;
}
