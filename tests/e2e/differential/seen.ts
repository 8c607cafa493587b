import type { Client } from "@langchain/langgraph-sdk";

/** One request to a graph. */
export type Step = { input?: unknown; resume?: unknown };

export type SeenState = {
  values: unknown;
  next: string[];
  source: string;
  step: number;
  /** Interrupt values by task name. */
  interrupts: [task: string, values: unknown[]][];
};

/** What a client sees of a graph's runs on one thread. */
export type Seen = {
  script: Step[];
  /** Stream chunks; a namespace has node names without ids. */
  chunks: [namespace: string[], mode: string, payload: unknown][];
  error: { error: string; message: string } | null;
  /** Newest state first. */
  history: SeenState[];
};

export const MODES = ["values", "updates", "custom"] as const;

const requestOf = ({ input, resume }: Step) =>
  resume === undefined ? { input: input as Record<string, unknown> } : { command: { resume } };

/** Runs a script on a new thread of an Agent Server and returns what its client sees. */
export async function seenThrough(
  client: Client,
  graph: string,
  script: Step[],
): Promise<Omit<Seen, "script">> {
  const { thread_id } = await client.threads.create();
  const chunks: Seen["chunks"] = [];
  let error: Seen["error"] = null;
  for (const step of script) {
    const options = { ...requestOf(step), streamMode: [...MODES], streamSubgraphs: true };
    for await (const { event, data } of client.runs.stream(thread_id, graph, options)) {
      const [mode = "", ...namespace] = event.split("|");
      if (mode === "error") error = data as unknown as Seen["error"];
      if (!MODES.includes(mode as never)) continue;
      chunks.push([namespace.map((part) => part.split(":")[0] ?? ""), mode, data]);
    }
  }
  return { chunks, error, history: await historyOf(client, thread_id) };
}

async function historyOf(client: Client, threadId: string): Promise<SeenState[]> {
  const states = await client.threads.getHistory(threadId, { limit: 100 });
  return states.map(({ values, next, metadata, tasks }) => ({
    values,
    next,
    source: String(metadata?.source),
    step: Number(metadata?.step),
    interrupts: tasks.map(({ name, interrupts }) => [name, interrupts.map(({ value }) => value)]),
  }));
}

/** Results of `/wait` for each request of a script on a new thread, and of `/join` for the last run. */
export async function waitedThrough(client: Client, graph: string, script: Step[]): Promise<unknown[]> {
  const { thread_id } = await client.threads.create();
  const results: unknown[] = [];
  for (const step of script) {
    const options = { ...requestOf(step), raiseError: false };
    results.push(await client.runs.wait(thread_id, graph, options));
  }
  const [last] = await client.runs.list(thread_id, { limit: 1 });
  if (last) results.push(await client.runs.join(thread_id, last.run_id));
  return results;
}

/** Returns a value without the ids of interrupts, which differ from run to run. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === "__interrupt__" && Array.isArray(inner)
      ? inner.map((interrupt) => ({ value: withoutIds(interrupt.value) }))
      : withoutIds(inner),
  ]);
  return Object.fromEntries(entries);
}
