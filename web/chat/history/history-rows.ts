import type { ThreadState } from "@berth/server";

/** A checkpoint in the list, and what made it what it is. */
export type HistoryStep = {
  state: ThreadState;
  /** The checkpoint below it in the list. */
  before: ThreadState | undefined;
  /** The keys of the state that it changed. */
  changed: string[];
  isWaiting: boolean;
  /** Nothing of its run follows: here people go on from. */
  isEnd: boolean;
};

/** What the list shows: a step, or steps that say nothing and stand behind one line. */
export type HistoryRow = { id: string; steps: HistoryStep[]; isFolded: boolean };

/** The rows for checkpoints, newest first. Steps in the middle of a run that changed nothing are folded. */
export function historyRows(states: readonly ThreadState[]): HistoryRow[] {
  const rows: HistoryRow[] = [];
  for (const step of stepsOf(states)) {
    const isFolded = saysNothing(step);
    const last = rows.at(-1);
    if (isFolded && last?.isFolded) last.steps.push(step);
    else rows.push({ id: step.state.checkpoint.checkpoint_id, steps: [step], isFolded });
  }
  return rows;
}

function stepsOf(states: readonly ThreadState[]): HistoryStep[] {
  return states.map((state, place) => {
    const before = states[place + 1];
    return {
      state,
      before,
      changed: changedKeys(before?.values ?? {}, state.values),
      isWaiting: state.tasks.some(({ interrupts }) => interrupts.length > 0),
      isEnd: states[place - 1]?.metadata.run_id !== state.metadata.run_id,
    };
  });
}

function saysNothing({ state, changed, isWaiting, isEnd }: HistoryStep): boolean {
  return changed.length === 0 && state.metadata.source === "loop" && !isWaiting && !isEnd;
}

/** One difference between two states. */
export type StateChange = {
  /** Where, as in `files.notes.md` or `messages[3]`. */
  path: string;
  kind: "added" | "removed" | "changed";
  before?: unknown;
  after?: unknown;
};

type Fields = Record<string, unknown>;

/** Beyond this a difference is told as a whole: nobody reads it key by key. */
const DEEPEST = 4;

/** What changed from one state to the next, key by key, in the order of the keys. */
export function stateDiff(before: unknown, after: unknown, path = "", depth = 0): StateChange[] {
  if (isSame(before, after)) return [];
  if (before === undefined) return [{ path, kind: "added", after }];
  if (after === undefined) return [{ path, kind: "removed", before }];
  if (depth < DEEPEST) {
    if (Array.isArray(before) && Array.isArray(after)) return listDiff(before, after, path, depth);
    if (isFields(before) && isFields(after)) return fieldsDiff(before, after, path, depth);
  }
  return [{ path, kind: "changed", before, after }];
}

/** The keys of a state that changed, lists with how much longer or shorter they became. */
export function changedKeys(stateBefore: unknown, stateAfter: unknown): string[] {
  const before = fieldsOf(stateBefore);
  const after = fieldsOf(stateAfter);
  return Object.keys({ ...before, ...after })
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => {
      const growth = lengthOf(after[key]) - lengthOf(before[key]);
      return growth === 0 ? key : `${key} ${growth > 0 ? "+" : "−"}${Math.abs(growth)}`;
    });
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

function fieldsDiff(before: Fields, after: Fields, path: string, depth: number): StateChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    stateDiff(before[key], after[key], path ? `${path}.${key}` : key, depth + 1),
  );
}

/** Entries with an id, as messages have, are matched by it, so that one removed in the middle moves nothing. */
function listDiff(before: unknown[], after: unknown[], path: string, depth: number): StateChange[] {
  const key = (entry: unknown, index: number) =>
    isFields(entry) && typeof entry.id === "string" ? entry.id : `#${index}`;
  const old = new Map(before.map((entry, index) => [key(entry, index), { entry, index }]));
  const changes = after.flatMap((entry, index) => {
    const id = key(entry, index);
    const match = old.get(id);
    old.delete(id);
    return stateDiff(match?.entry, entry, `${path}[${index}]`, depth + 1);
  });
  const removed = [...old.values()].map(
    ({ entry, index }): StateChange => ({ path: `${path}[${index}]`, kind: "removed", before: entry }),
  );
  return [...removed, ...changes];
}

const fieldsOf = (state: unknown): Fields => (isFields(state) ? state : {});

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
