import { AIMessageChunk } from "@langchain/core/messages";
import { encode, flattenMessage, isMessage } from "../wire.ts";

type Metadata = Record<string, unknown>;

const UNHEARD = ["nostream", "langsmith:nostream"];

/**
 * A callback handler that tells what models say in subgraphs, for the `messages` mode of a run that streams none: the
 * official server takes tokens from callbacks, too, and so has them wherever they come from.
 * @param emit gets the JSON of `[token, metadata]`
 */
export function innerTokens(emit: (json: string) => void) {
  const calls = new Map<string, Metadata>();
  const ids = new Map<string, string>();
  const over = (call: string) => {
    calls.delete(call);
    ids.delete(call);
  };
  return {
    name: "inner-tokens",
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
      call: string,
      _parent: unknown,
      _extra: unknown,
      tags: string[] | undefined,
      metadata: Metadata | undefined,
      name: string | undefined,
    ) => {
      if (metadata && isInner(metadata) && !tags?.some((tag) => UNHEARD.includes(tag)))
        calls.set(call, { tags, name, ...metadata });
    },
    handleLLMNewToken: (
      text: string,
      _index: unknown,
      call: string,
      _parent: unknown,
      _tags: unknown,
      fields: { chunk?: { message?: unknown } } | undefined,
    ) => {
      const metadata = calls.get(call);
      if (!metadata) return;
      const message = fields?.chunk?.message;
      const token = flattenMessage(isMessage(message) ? message : new AIMessageChunk(text));
      // A provider may name a message in its first chunk only; LangGraph keeps to the first name, too.
      const id = ids.get(call) ?? (typeof token.id === "string" ? token.id : `run-${call}`);
      ids.set(call, id);
      emit(encode([{ ...token, id }, metadata]));
    },
    handleLLMEnd: (_output: unknown, call: string) => over(call),
    handleLLMError: (_error: unknown, call: string) => over(call),
  };
}

/** The last part of a namespace is the task that a model is called in; in front of it are those of its graphs. */
function isInner({ langgraph_checkpoint_ns, checkpoint_ns }: Metadata): boolean {
  const namespace = langgraph_checkpoint_ns ?? checkpoint_ns;
  return typeof namespace === "string" && namespace.includes("|");
}
