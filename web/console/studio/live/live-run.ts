import type { ThreadState } from "@berth/server";
import type { StreamEvent } from "../../data/index.ts";
import type { NodeLight } from "../graph/index.ts";

/** One execution of a node. */
export type NodeTask = {
  id: string;
  /** As the drawing names it: `ship:label` for a node in a subgraph. */
  node: string;
  state: NodeLight["state"];
  input?: unknown;
  result?: unknown;
  error?: string;
};

/** What a run has told of itself so far. */
export type LiveRun = {
  tasks: readonly NodeTask[];
  /** What models write in it, by the message's id; the newest last. */
  words: ReadonlyMap<string, { node: string; text: string }>;
};

export const noRun: LiveRun = { tasks: [], words: new Map() };

/** More is not looked at on a drawing. */
const MOST_TASKS = 1_000;
const MOST_WORDS = 4_000;
const MOST_MESSAGES = 8;

/** What is known of a run behind some more of its events. */
export const told = (run: LiveRun, events: readonly StreamEvent[]): LiveRun => events.reduce(withEvent, run);

function withEvent(run: LiveRun, { event, data }: StreamEvent): LiveRun {
  const [mode = "", ...namespace] = event.split("|");
  if (mode === "metadata") return isNewAttempt(data) ? noRun : run;
  if (mode === "tasks") return { ...run, tasks: withTask(run.tasks, namespace, JSON.parse(data)) };
  if (mode === "messages") return { ...run, words: withWords(run.words, JSON.parse(data)) };
  return run;
}

function isNewAttempt(data: string): boolean {
  return Number(JSON.parse(data).attempt ?? 1) > 1;
}

type TaskEvent = {
  id: string;
  name: string;
  input?: unknown;
  result?: unknown;
  error?: unknown;
  interrupts?: readonly unknown[];
};

function withTask(tasks: readonly NodeTask[], namespace: readonly string[], event: TaskEvent): NodeTask[] {
  const node = [...namespace.map((part) => part.split(":")[0]), event.name].join(":");
  const at = tasks.findIndex(({ id }) => id === event.id);
  const before = tasks[at];
  const task: NodeTask =
    "result" in event || "error" in event
      ? { ...startedTask(event.id, node), ...before, ...endOf(event) }
      : { ...startedTask(event.id, node), input: event.input };
  if (before) return tasks.with(at, task);
  return [...tasks, task].slice(-MOST_TASKS);
}

export const startedTask = (id: string, node: string): NodeTask => ({ id, node, state: "running" });

function endOf({ result, error, interrupts = [] }: Omit<TaskEvent, "id" | "name">) {
  const words = errorWords(error);
  if (words !== undefined) return { state: "failed" as const, error: words };
  if (interrupts.length > 0) return { state: "waiting" as const };
  return { state: "done" as const, result };
}

/** An error as the stream has it, or as a state does: its JSON as text. */
function errorWords(error: unknown): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (typeof error === "string") return fromJson(error) ?? error;
  return typeof error === "object" && "message" in error ? String(error.message) : JSON.stringify(error);
}

function fromJson(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text);
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

type Chunk = { id?: string; content?: unknown; type?: string };

function withWords(words: LiveRun["words"], [chunk, meta]: [Chunk, { langgraph_node?: string }]) {
  const text = textIn(chunk.content);
  if (text === "" || !/^ai/i.test(chunk.type ?? "")) return words;
  const id = chunk.id ?? "";
  const before = words.get(id);
  // Some servers tell the whole message behind its parts.
  const all = before?.text === text ? text : (before?.text ?? "") + text;
  const next = new Map(words).set(id, { node: meta.langgraph_node ?? "", text: all.slice(-MOST_WORDS) });
  return new Map([...next].slice(-MOST_MESSAGES));
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (typeof block?.text === "string" ? block.text : "")).join("");
}

/** What checkpoints tell of a run's tasks, oldest first; `states` are newest first. */
export function tasksOf(states: readonly ThreadState[], runId: string | undefined): NodeTask[] {
  return states.toReversed().flatMap((state) => {
    if (runId !== undefined && state.metadata.run_id !== runId) return [];
    return state.tasks
      .filter(({ name }) => name !== "__start__")
      .flatMap((task) => taskOf(task, state.values) ?? []);
  });
}

function taskOf({ id, name, result, error, interrupts }: ThreadState["tasks"][number], input: unknown) {
  const isOver = result !== null && result !== undefined;
  if (!isOver && error === null && interrupts.length === 0) return undefined;
  return { ...startedTask(id, name), input, ...endOf({ result, error, interrupts }) };
}

/** How the nodes of a drawing are lit; a node that is drawn with its inside is lit within. */
export function lightsOf(tasks: readonly NodeTask[], isRunning: boolean): ReadonlyMap<string, NodeLight> {
  const lights = new Map<string, NodeLight>();
  for (const { node, state } of tasks) {
    const times = (lights.get(node)?.times ?? 0) + 1;
    // A process that ends in the middle leaves tasks that say nothing any more.
    if (state !== "running" || isRunning) lights.set(node, { state, times });
  }
  return lights;
}
