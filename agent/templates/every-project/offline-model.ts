import { createHash } from "node:crypto";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
  type LangSmithParams,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";

/** Milliseconds before each token where OFFLINE_TOKEN_MS does not say otherwise. */
const DEFAULT_TOKEN_MS = 25;

type Call = { name: string; args: Record<string, unknown> };
type Reply = { text: string; calls: Call[] };

/** The part of a conversation that the script looks at: the last question and what was done about it. */
type Turn = {
  question: string;
  /** The how-manieth question of the conversation this is, from 1. */
  number: number;
  /** How many times the model has already called tools for it. */
  step: number;
  results: ToolMessage[];
};

/** A scene starts where its keyword is in the question and the tools that it needs are bound. */
type Scene = {
  keyword: string;
  tools: string[];
  steps: ((turn: Turn) => Reply)[];
  close: (turn: Turn) => string;
};

// The two subagents of the deep-agent template recognise their work by these words.
const GATHER = "gather notes for request";
const SUMMARISE = "write the summary of request";
const PLAN = ["Gather notes", "Write the summary"];

const scenes: Scene[] = [
  {
    keyword: "research",
    tools: ["task", "write_todos"],
    steps: [
      () => call("I am the offline model. First I plan the work.", "write_todos", { todos: todos(0) }),
      (turn) => delegate("researcher", `${GATHER} ${turn.number}: ${excerpt(turn.question)}`),
      () => call("The notes are there.", "write_todos", { todos: todos(1) }),
      (turn) =>
        delegate("writer", `${SUMMARISE} ${turn.number} from these notes: ${lastResult(turn, "task")}`),
      () => call("The summary is written.", "write_todos", { todos: todos(2) }),
    ],
    close: (turn) =>
      `I am the offline model, and both subagents have reported. ${lastResult(turn, "task")} ` +
      "Every entry of the todo list is done. A real model would have looked things up.",
  },
  {
    keyword: "send",
    tools: ["send_email"],
    steps: [(turn) => call("I prepared an email; a person has to approve it.", "send_email", email(turn))],
    close: (turn) =>
      turn.results.at(-1)?.status === "error"
        ? `I am the offline model. The email was not sent. ${lastResult(turn)}`
        : `I am the offline model. The email went out. ${lastResult(turn)}`,
  },
  {
    keyword: "fail",
    tools: ["get_weather"],
    steps: [() => call("I call a tool that will fail.", "get_weather", { city: "Atlantis" })],
    close: (turn) => `I am the offline model. The tool failed, and I go on without it. ${lastResult(turn)}`,
  },
  {
    keyword: "weather",
    tools: ["get_weather"],
    steps: [(turn) => call("I look at the weather.", "get_weather", { city: city(turn.question) })],
    close: (turn) =>
      turn.results.at(-1)?.status === "error"
        ? `I am the offline model. The weather tool failed. ${lastResult(turn)}`
        : `I am the offline model. The weather tool says: ${lastResult(turn)}`,
  },
];

/** What the subagents say that the research scene delegates to. */
const subagentScenes: Scene[] = [
  {
    keyword: GATHER,
    tools: ["search_notes"],
    steps: [(turn) => call("I look into the notes.", "search_notes", { query: subject(turn) })],
    close: (turn) => `Notes of the offline researcher: ${lastResult(turn, "search_notes")}`,
  },
  {
    keyword: SUMMARISE,
    tools: [],
    steps: [],
    close: (turn) =>
      `Summary of the offline writer: ${subject(turn)} ` +
      "That is all that a script can say about it, and it says the same every time.",
  },
];

function call(text: string, name: string, args: Record<string, unknown>): Reply {
  return { text, calls: [{ name, args }] };
}

function delegate(subagent: string, task: string): Reply {
  const description = task.charAt(0).toUpperCase() + task.slice(1);
  return call(`I hand this to the ${subagent}.`, "task", { description, subagent_type: subagent });
}

/** What a delegated task is about: the part after its opening words. */
function subject(turn: Turn): string {
  return turn.question.slice(turn.question.indexOf(": ") + 2);
}

/** The todo list after `done` of its entries are finished; the next one is in progress. */
function todos(done: number) {
  const status = (index: number) => (index < done ? "completed" : index === done ? "in_progress" : "pending");
  return PLAN.map((content, index) => ({ content, status: status(index) }));
}

function email(turn: Turn) {
  const to = /[\w.+-]+@[\w-]+(\.[\w-]+)+/.exec(turn.question)?.[0] ?? "ada@example.com";
  return { to, subject: "A note from the offline model", body: `You asked: ${excerpt(turn.question)}` };
}

function city(question: string): string {
  return /\b(?:in|for|at)\s+(\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*)*)/u.exec(question)?.[1] ?? "Berlin";
}

/** The first line of what the latest tool (of that name) answered. */
function lastResult(turn: Turn, name?: string): string {
  const result = turn.results.findLast((message) => name === undefined || message.name === name);
  return excerpt(result?.text.split("\n", 1)[0] ?? "Nothing came back.", 400);
}

/** The text in one line of at most `limit` characters. */
function excerpt(text: string, limit = 120): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Some forty words for a question that starts none of the scenes, naming the keywords that would. */
function smallTalk(turn: Turn, known: Scene[]): string {
  const keywords = known.map((scene) => scene.keyword);
  const list = new Intl.ListFormat("en", { type: "disjunction" }).format(keywords);
  const hint = list && `Say ${list} to see my tools at work. `;
  return (
    `I am the offline model: a script that stands in for a real one. You wrote “${excerpt(turn.question, 40)}”. ` +
    `${hint}To talk to a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, and start again.`
  );
}

function readTurn(messages: BaseMessage[]): Turn {
  const start = messages.findLastIndex((message) => message.type === "human");
  const since = messages.slice(start + 1);
  return {
    question: messages[start]?.text ?? "",
    number: messages.filter((message) => message.type === "human").length,
    step: since.filter((message) => AIMessage.isInstance(message) && message.tool_calls?.length).length,
    results: since.filter((message) => ToolMessage.isInstance(message)),
  };
}

/** What the script says next; the conversation alone decides, so a replay says the same. */
function nextReply(turn: Turn, tools: Set<string>): Reply {
  const question = turn.question.toLowerCase();
  const playable = (scene: Scene) => scene.tools.every((name) => tools.has(name));
  const known = scenes.filter(playable);
  const scene = [...known, ...subagentScenes.filter(playable)].find((s) => question.includes(s.keyword));
  if (!scene) return { text: smallTalk(turn, known), calls: [] };
  return scene.steps[turn.step]?.(turn) ?? { text: scene.close(turn), calls: [] };
}

/** Unique within a thread, and the same again when a run resumes. */
function toolCallId(turn: Turn, place: number): string {
  const seed = JSON.stringify([turn.number, turn.question, turn.step, place]);
  return `call_${createHash("sha256").update(seed).digest("hex").slice(0, 24)}`;
}

type Part = { content: string; tool_call_chunks?: ToolCallChunk[] };

/** The reply as a provider would stream it: word by word, then each call's name and its JSON in pieces. */
function* parts(reply: Reply, turn: Turn): Generator<Part> {
  for (const content of reply.text.match(/\S+\s*/g) ?? []) yield { content };
  for (const [place, { name, args }] of reply.calls.entries()) {
    const id = toolCallId(turn, place);
    // The text is content block 0 of the message; a call with that index would be taken for more of it.
    const index = place + 1;
    yield { content: "", tool_call_chunks: [{ type: "tool_call_chunk", index, id, name, args: "" }] };
    for (const piece of JSON.stringify(args).match(/.{1,8}/gsu) ?? [])
      yield { content: "", tool_call_chunks: [{ type: "tool_call_chunk", index, args: piece }] };
  }
}

function tokenMs(): number {
  const set = process.env.OFFLINE_TOKEN_MS?.trim();
  const ms = set ? Number(set) : DEFAULT_TOKEN_MS;
  return ms >= 0 && Number.isFinite(ms) ? ms : DEFAULT_TOKEN_MS;
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function toolName(tool: BindToolsInput): string {
  if ("name" in tool && typeof tool.name === "string") return tool.name;
  return "function" in tool && typeof tool.function?.name === "string" ? tool.function.name : "";
}

interface OfflineCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/**
 * A scripted chat model for trying an agent without a key or a network. It streams tokens (one every
 * OFFLINE_TOKEN_MS milliseconds, 25 by default, 0 for no pause) and calls the tools bound to it where
 * the last human message holds `research`, `send`, `fail` or `weather`. It keeps no state.
 */
export class OfflineChatModel extends BaseChatModel<OfflineCallOptions> {
  constructor() {
    super({});
  }

  static override lc_name() {
    return "OfflineChatModel";
  }

  _llmType() {
    return "offline";
  }

  override getLsParams(): LangSmithParams {
    return { ls_provider: "offline", ls_model_name: "offline", ls_model_type: "chat" };
  }

  override bindTools(
    tools: BindToolsInput[],
    options?: Partial<OfflineCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, OfflineCallOptions> {
    return this.withConfig({ ...options, tools });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const tools = options.tool_choice === "none" ? [] : (options.tools ?? []);
    const turn = readTurn(messages);
    const reply = nextReply(turn, new Set(tools.map(toolName)));
    const id = `offline-${crypto.randomUUID()}`;
    const pace = tokenMs();
    let tokens = 0;
    for (const part of parts(reply, turn)) {
      options.signal?.throwIfAborted();
      if (pace > 0) await pause(pace, options.signal);
      tokens++;
      const message = new AIMessageChunk({ id, ...part });
      const chunk = new ChatGenerationChunk({ text: part.content, message });
      yield chunk;
      await runManager?.handleLLMNewToken(part.content, undefined, undefined, undefined, undefined, {
        chunk,
      });
    }
    // Usage and the reason for the end come once, last: chunks are added up by their reader.
    const asked = messages.reduce((sum, message) => sum + Math.ceil(message.text.length / 4), 0);
    yield new ChatGenerationChunk({
      text: "",
      message: new AIMessageChunk({
        id,
        content: "",
        usage_metadata: { input_tokens: asked, output_tokens: tokens, total_tokens: asked + tokens },
        response_metadata: {
          model_name: "offline",
          finish_reason: reply.calls.length ? "tool_calls" : "stop",
        },
      }),
    });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options))
      whole = whole ? concat(whole, chunk) : chunk;
    if (!whole || !AIMessageChunk.isInstance(whole.message))
      throw new Error("The offline model produced no message.");
    const { id, content, tool_calls, usage_metadata, response_metadata } = whole.message;
    const message = new AIMessage({ id, content, tool_calls, usage_metadata, response_metadata });
    return { generations: [{ text: whole.text, message }] };
  }
}
