import { ProjectError } from "../project/index.ts";
import { isRecord } from "../record.ts";
import type { AskModel } from "./writer.ts";

type Texts = Readonly<Record<string, string | undefined>>;

/** What we rely on of a chat model. */
type Chat = {
  disableStreaming: boolean;
  invoke(prompt: string, options: { signal: AbortSignal }): Promise<{ content: unknown }>;
};

/**
 * The chat model that describes issues: `openai:MODEL` (or any server that speaks OpenAI's language, by
 * OPENAI_BASE_URL) or `anthropic:MODEL`. Loaded when it is asked for the first time.
 * @throws ProjectError it has no such form, or its key is missing
 */
export function openModel(name: string, environment: Texts): AskModel {
  const [, provider, model = ""] = /^(openai|anthropic):(\S+)$/.exec(name) ?? [];
  if (provider === undefined)
    throw new ProjectError(
      `ENGINE_MODEL: must be openai:MODEL or anthropic:MODEL, not ${JSON.stringify(name)}`,
    );
  const key = provider === "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  const apiKey = environment[key];
  if (!apiKey) throw new ProjectError(`ENGINE_MODEL: ${name} needs ${key}`);
  let chat: Promise<Chat> | undefined;
  return async (prompt, signal) => {
    chat ??= inOnePiece(
      provider === "openai" ? openAi(model, apiKey, environment) : anthropic(model, apiKey),
    );
    return textOf(await untraced(await chat, prompt, signal));
  };
}

/** Whoever sends the traces of this process to LangSmith, or to a Berth, does not mean what a model is asked here. */
async function untraced(chat: Chat, prompt: string, signal: AbortSignal): Promise<unknown> {
  const { AsyncLocalStorageProviderSingleton } = await import("@langchain/core/singletons");
  const { content } = await AsyncLocalStorageProviderSingleton.runWithConfig({}, () =>
    chat.invoke(prompt, { signal }),
  );
  return content;
}

/** Nobody reads along, and not every server that speaks OpenAI's language streams. */
async function inOnePiece(opened: Promise<Chat>): Promise<Chat> {
  return Object.assign(await opened, { disableStreaming: true });
}

async function openAi(model: string, apiKey: string, { OPENAI_BASE_URL: baseURL }: Texts): Promise<Chat> {
  const { ChatOpenAI } = await import("@langchain/openai");
  return new ChatOpenAI({ model, apiKey, maxRetries: 1, ...(baseURL && { configuration: { baseURL } }) });
}

async function anthropic(model: string, apiKey: string): Promise<Chat> {
  const { ChatAnthropic } = await import("@langchain/anthropic");
  return new ChatAnthropic({ model, apiKey, maxRetries: 1 });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
