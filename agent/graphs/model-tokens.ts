import { AIMessageChunk } from "@langchain/core/messages";
import { TOKEN } from "../events/index.ts";
import { encodeToken } from "../wire.ts";
import { turn } from "./fair-turns.ts";
import { messageIdOf } from "./message-ends.ts";

/** Of models that nobody is to see. */
const HIDDEN = ["nostream", "langsmith:nostream", "langsmith:hidden"];

type Call = { metadata: Record<string, unknown>; id?: string };
type Message = { id?: string | undefined; lc_kwargs?: Record<string, unknown> };
type Frame = { name: string; json: string; tail?: number };

/**
 * A callback handler that tells the tokens of all models of a run, also of those in subgraphs. LangGraph's own
 * stream has these only when subgraphs are asked for, and the `messages` mode always does.
 */
export function modelTokens(emit: (frame: Frame) => void) {
  const calls = new Map<string, Call>();
  const over = (_: unknown, run: string) => void calls.delete(run);
  return {
    name: "model-tokens",
    lc_prefer_streaming: true,
    awaitHandlers: true,
    ignoreLLM: false,
    ignoreChain: true,
    ignoreAgent: true,
    ignoreRetriever: true,
    ignoreCustomEvent: true,
    raiseError: false,
    handleChatModelStart: (
      _model: unknown,
      _messages: unknown,
      run: string,
      _parent: unknown,
      _extra: unknown,
      tags: string[] | undefined,
      metadata: Record<string, unknown> | undefined,
      name: string | undefined,
    ) => {
      if (HIDDEN.some((hidden) => tags?.includes(hidden))) return undefined;
      calls.set(run, { metadata: { tags, name, ...metadata } });
      // What the graph has said so far stands in its stream, and comes first.
      return turn();
    },
    handleLLMNewToken: (
      text: string,
      _index: unknown,
      run: string,
      _parent: unknown,
      _tags: unknown,
      fields: unknown,
    ) => {
      const call = calls.get(run);
      if (!call) return;
      const given = (fields as { chunk?: { message?: Message } } | undefined)?.chunk?.message;
      const message: Message = given ?? new AIMessageChunk({ content: text });
      call.id = identify(message, run, call.id);
      emit({ name: TOKEN, ...encodeToken([message, call.metadata]) });
    },
    handleLLMEnd: over,
    handleLLMError: over,
  };
}

/** All tokens of a message have one id, and so has the message that they become. */
function identify(message: Message, run: string, known: string | undefined): string {
  const id = messageIdOf(message.id, run, known);
  if (message.id !== id) {
    message.id = id;
    if (message.lc_kwargs) message.lc_kwargs.id = id;
  }
  return known ?? id;
}
