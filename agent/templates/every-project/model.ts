import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { OfflineChatModel } from "./offline-model.ts";

/** A chat model that tools can be bound to. */
export type ToolCallingModel = BaseChatModel & Required<Pick<BaseChatModel, "bindTools">>;

/**
 * The chat model that the environment asks for: Anthropic's with ANTHROPIC_API_KEY, OpenAI's or a
 * compatible server's with OPENAI_API_KEY (and OPENAI_BASE_URL), otherwise the offline model.
 * Providers are imported only when chosen, because each adds about a tenth of a second to the start.
 */
export async function chooseModel(env = process.env): Promise<ToolCallingModel> {
  if (env.ANTHROPIC_API_KEY) {
    const { ChatAnthropic } = await import("@langchain/anthropic");
    return new ChatAnthropic({ apiKey: env.ANTHROPIC_API_KEY, model: env.MODEL || "claude-sonnet-4-6" });
  }
  if (env.OPENAI_API_KEY) {
    const { ChatOpenAI } = await import("@langchain/openai");
    return new ChatOpenAI({
      apiKey: env.OPENAI_API_KEY,
      model: env.OPENAI_MODEL || env.MODEL || "gpt-5-mini",
      ...(env.OPENAI_BASE_URL && { configuration: { baseURL: env.OPENAI_BASE_URL } }),
    });
  }
  return new OfflineChatModel();
}
