import type { ThreadState } from "@berth/server";
import { changedKeys } from "../../changes/index.ts";

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
