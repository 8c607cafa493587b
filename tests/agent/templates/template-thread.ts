import { afterEach, beforeEach } from "bun:test";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type TemplateGraph, type TemplateName, templates } from "../../../agent/templates/index.ts";

// Handlers read it when they are made: without it, tokens of a model that never pauses are lost.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";
// The templates choose their model when they are imported.
for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]) delete process.env[name];

/** Sets OFFLINE_TOKEN_MS for each test of a file, and puts it back. */
export function pace(ms: string) {
  const before = process.env.OFFLINE_TOKEN_MS;
  beforeEach(() => {
    process.env.OFFLINE_TOKEN_MS = ms;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.OFFLINE_TOKEN_MS;
    else process.env.OFFLINE_TOKEN_MS = before;
  });
}

/** The names of all templates; each has one graph, which is called as it is. */
export const names = Object.keys(templates) as TemplateName[];

/** What the graph's project exports. */
export function load(name: TemplateName): Promise<unknown> {
  const graphs: Record<string, TemplateGraph> = templates[name].graphs;
  const graph = graphs[name];
  if (!graph) throw new Error(`The template ${name} has no graph of that name.`);
  return graph.load();
}

export type Frame = [namespace: string[], mode: string, data: unknown];
export type Token = { namespace: string[]; message: BaseMessage };

type State = {
  values: { messages: BaseMessage[]; todos?: { content: string; status: string }[] };
  next: string[];
  tasks: { interrupts: { value?: unknown }[] }[];
};

interface Graph {
  checkpointer?: unknown;
  withConfig(config: object): Graph;
  stream(input: unknown, options: object): Promise<AsyncIterable<Frame>>;
  getState(options: object): Promise<State>;
}

function isGraph(value: unknown): value is Graph {
  return typeof value === "object" && value !== null && "stream" in value && "getState" in value;
}

/** The graph inside what a project exports: the export itself or, of an agent object, its `graph`. */
function graphOf(exported: unknown): Graph {
  const inner = typeof exported === "object" && exported !== null && "graph" in exported && exported.graph;
  const graph = inner || exported;
  if (!isGraph(graph)) throw new Error("The project does not export a graph.");
  return graph;
}

/** One conversation with a project's graph, on a checkpointer of its own in memory. */
export class TemplateThread {
  readonly #graph: Graph;
  readonly #config = { configurable: { thread_id: crypto.randomUUID() } };

  constructor(exported: unknown) {
    // A copy, because the exported graph is shared by everything in this process.
    this.#graph = graphOf(exported).withConfig({});
    this.#graph.checkpointer = new MemorySaver();
  }

  stream(input: unknown, options: object): Promise<AsyncIterable<Frame>> {
    return this.#graph.stream(input, { ...this.#config, subgraphs: true, ...options });
  }

  /** Asks the question, or gives a Command, and collects the tokens of the run. */
  async run(input: unknown): Promise<Token[]> {
    const question = typeof input === "string" ? { messages: [{ role: "user", content: input }] } : input;
    const tokens: Token[] = [];
    for await (const [namespace, , data] of await this.stream(question, { streamMode: ["messages"] })) {
      const [message] = data as [BaseMessage];
      if (message.type === "ai") tokens.push({ namespace, message });
    }
    return tokens;
  }

  state(): Promise<State> {
    return this.#graph.getState(this.#config);
  }

  async messages(): Promise<BaseMessage[]> {
    return (await this.state()).values.messages;
  }

  /** The text of the latest message. */
  async answer(): Promise<string> {
    return (await this.messages()).at(-1)?.text ?? "";
  }

  /** What the interrupts of the paused run ask. */
  async questions(): Promise<unknown[]> {
    return (await this.state()).tasks.flatMap((task) => task.interrupts.map((interrupt) => interrupt.value));
  }
}
