import type { Assistant, Run, Thread, ThreadState, UpdatedState } from "@berth/server";
import { useState } from "react";
import { api, type ServerAction, useAction, useResource } from "../data/index.ts";
import { idOf } from "./branch.ts";
import { isUnderWay, type LiveRun, type NodeTask, tasksOf, useLiveRun } from "./live/index.ts";
import { addedUp, isLiteral, overwriting, updateFor } from "./state-edit.ts";
import { type History, useHistory } from "./use-history.ts";
import { WORDS } from "./words.tsx";

type Values = Record<string, unknown>;

/** What is changed for one run. */
export type SettingsOfRun = { context: Values; configurable: Values };

/** Nodes before and behind which runs stop; all before, where one goes step by step. */
export type Breakpoints = { before: ReadonlySet<string>; after: ReadonlySet<string>; everyStep: boolean };

const NO_BREAKPOINTS: Breakpoints = { before: new Set(), after: new Set(), everyStep: false };

/** What a run begins with: an input, an answer to a question, or nothing, to go on where the thread stands. */
export type Beginning = { input?: unknown; command?: { resume: unknown }; checkpointId?: string | undefined };

export type Lane = {
  base: string;
  assistant: Assistant | undefined;
  threadId: string | undefined;
  history: History;
  run: Run | undefined;
  isRunning: boolean;
  /** Nothing is under way, and what is known of the thread is from behind the end of its run. */
  isAtRest: boolean;
  live: LiveRun;
  /** What the nodes of the newest run did. */
  tasks: readonly NodeTask[];
  breakpoints: Breakpoints;
  setBreakpoints(breakpoints: Breakpoints): void;
  /** The checkpoint that the next input goes on from, where that is not the newest. */
  from: ThreadState | undefined;
  setFrom(state: ThreadState | undefined): void;
  /** Looks at another thread. */
  openThread(threadId: string): void;
  action: ServerAction;
  start(beginning: Beginning, settings: SettingsOfRun): Promise<Run | undefined>;
  stop(): Promise<unknown>;
  /** Writes a state on top of a checkpoint; answers the new checkpoint's id. */
  edit(state: ThreadState, wanted: Values, asNode: string | undefined): Promise<string | undefined>;
};

type LaneOptions = {
  base: string;
  assistant: Assistant | undefined;
  threadId: string | undefined;
  onThread: (threadId: string) => void;
};

/** What the node that runs is known by: its task, and what models write meanwhile. */
const MODES = ["tasks", "messages-tuple"];

/** One assistant at work on one thread. */
export function useLane({ base, assistant, threadId, onThread }: LaneOptions): Lane {
  const action = useAction();
  const history = useHistory(base, threadId);
  const { show, ...newest } = useNewestRun(base, threadId, history);
  const [breakpoints, setBreakpoints] = useState(NO_BREAKPOINTS);
  const [from, setFrom] = useState<ThreadState>();
  const path = `${base}/threads/${threadId}`;
  const place = { base, assistant, threadId };
  const start = (beginning: Beginning, settings: SettingsOfRun) =>
    action.run(async () => {
      const run = await startedRun(place, beginning, { settings, breakpoints });
      setFrom(undefined);
      if (run.thread_id === threadId) show(run);
      else onThread(run.thread_id);
      return run;
    });
  return {
    ...place,
    ...newest,
    ...{ history, breakpoints, setBreakpoints, from, setFrom, action, start, openThread: onThread },
    stop: () => action.run(() => api(`${path}/runs/${newest.run?.run_id}/cancel`, { method: "POST" })),
    edit: (state, wanted, asNode) => action.run(() => written(`${path}/state`, { state, wanted, asNode })),
  };
}

/** The newest run of a thread, whoever started it, and what it does. */
function useNewestRun(base: string, threadId: string | undefined, { steps, pages }: History) {
  const runs = useResource<Run[]>(threadId ? `${base}/threads/${threadId}/runs?limit=1` : null, {
    live: ["runs", "threads"],
  });
  const run = runs.data?.[0];
  const place = run && threadId ? { base, threadId, runId: run.run_id } : undefined;
  const live = useLiveRun(place, () => {
    runs.refresh();
    pages.refresh();
  });
  const states = steps.map(({ state }) => state);
  const isRunning = run !== undefined && isUnderWay(run);
  return {
    ...{ run, live, isRunning },
    isAtRest: !isRunning && !isBehind(states[0], live),
    tasks: live.tasks.length > 0 ? live.tasks : tasksOf(states, run?.run_id),
    show: (started: Run) => runs.show(() => [started]),
  };
}

/** Whether all that a checkpoint waits for was told to be done: then a later one is on its way here. */
function isBehind(head: ThreadState | undefined, { tasks }: LiveRun): boolean {
  const done = new Set(tasks.filter(({ state }) => state === "done").map(({ id }) => id));
  return head !== undefined && head.tasks.length > 0 && head.tasks.every(({ id }) => done.has(id));
}

type RunPlace = Pick<Lane, "base" | "assistant" | "threadId">;

async function startedRun(
  { base, assistant, threadId }: RunPlace,
  beginning: Beginning,
  circumstances: Circumstances,
): Promise<Run> {
  if (!assistant) throw new Error(WORDS.chooseAnAssistantFirst);
  const on = threadId ?? (await newThread(base));
  const body = bodyOf(assistant, beginning, circumstances);
  return await api<Run>(`${base}/threads/${on}/runs`, { method: "POST", body });
}

async function newThread(base: string): Promise<string> {
  const { thread_id } = await api<Pick<Thread, "thread_id">>(`${base}/threads`, { method: "POST", body: {} });
  return thread_id;
}

type Circumstances = { settings: SettingsOfRun; breakpoints: Breakpoints };

function bodyOf(assistant: Assistant, beginning: Beginning, { settings, breakpoints }: Circumstances) {
  const { input = null, command, checkpointId } = beginning;
  const { before, after, everyStep } = breakpoints;
  const { context, configurable } = settings;
  return {
    assistant_id: assistant.assistant_id,
    ...(command ? { command } : { input }),
    ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
    ...(Object.keys(context).length > 0 && { context }),
    ...(Object.keys(configurable).length > 0 && { config: { configurable } }),
    ...(everyStep ? { interrupt_before: "*" } : before.size > 0 && { interrupt_before: [...before] }),
    ...(after.size > 0 && { interrupt_after: [...after] }),
    ...{ stream_mode: MODES, stream_subgraphs: true, stream_resumable: true },
  };
}

type Edit = { state: ThreadState; wanted: Values; asNode: string | undefined };

/**
 * Writes what is wanted, and looks at what came of it: where the graph adds values up, such as a list that grows, it
 * is written once more, past that rule.
 */
async function written(path: string, { state, wanted, asNode }: Edit): Promise<string> {
  const update = updateFor({ ...Object(state.values) }, wanted);
  const first = await writeState(path, state, { values: update, asNode });
  const { values } = await api<ThreadState>(`${path}/${first}`);
  const wrong = addedUp(update, wanted, { ...Object(values) });
  if (wrong.length === 0) return first;
  const second = await writeState(path, state, { values: overwriting(update, wrong), asNode });
  const after = await api<ThreadState>(`${path}/${second}`);
  // Where it was something else that made another value of it, there is no such rule, and it is as it was first.
  if (!isLiteral({ ...Object(after.values) }, wrong)) return second;
  return await writeState(path, state, { values: update, asNode });
}

type Update = { values: Values; asNode: string | undefined };

async function writeState(path: string, state: ThreadState, { values, asNode }: Update): Promise<string> {
  const body = { values, checkpoint_id: idOf(state), ...(asNode && { as_node: asNode }) };
  const answer = await api<UpdatedState>(path, { method: "POST", body });
  return answer.checkpoint?.checkpoint_id ?? "";
}
