import type { ThreadState } from "@berth/server";
import { WORDS } from "./words.tsx";

/** A checkpoint of the branch that is looked at, with what was before it and where else one could have gone. */
export type BranchStep = {
  state: ThreadState;
  before: ThreadState | undefined;
  /** All that came of the checkpoint before, oldest first; this one among them. */
  siblings: readonly ThreadState[];
};

export const idOf = ({ checkpoint }: ThreadState): string => checkpoint.checkpoint_id;

const parentOf = ({ parent_checkpoint }: ThreadState): string | undefined => parent_checkpoint?.checkpoint_id;

/**
 * The way from a checkpoint back to the first that is known, newest first.
 * @param states newest first, of all branches
 */
export function branchTo(states: readonly ThreadState[], headId: string | undefined): BranchStep[] {
  const byId = new Map(states.map((state) => [idOf(state), state]));
  const children = Map.groupBy(states.toReversed(), (state) => parentOf(state) ?? "");
  const steps: BranchStep[] = [];
  for (let state = byId.get(headId ?? ""); state; ) {
    const parent = parentOf(state) ?? "";
    const before = byId.get(parent);
    steps.push({ state, before, siblings: children.get(parent) ?? [] });
    state = before;
  }
  return steps;
}

/** Where the branch through a checkpoint ends: its newest descendant. */
export function endOf(states: readonly ThreadState[], id: string): string {
  const within = new Set([id]);
  let last = id;
  for (const state of states.toReversed()) {
    if (!within.has(parentOf(state) ?? "")) continue;
    within.add(idOf(state));
    last = idOf(state);
  }
  return last;
}

/** The nodes whose work a checkpoint holds; "" is what came in. */
export function writersOf({ state, before }: BranchStep): string[] {
  if (state.metadata.source === "input") return [];
  return [...new Set(before?.next)].filter((node) => node !== "__start__");
}

/** What made a checkpoint, in words. */
export function wordsOf(step: BranchStep): string {
  const { source } = step.state.metadata;
  if (source === "input") return WORDS.input;
  if (source === "update") return WORDS.stateEdited;
  if (source === "fork") return WORDS.forked;
  return writersOf(step).join(", ") || WORDS.start;
}
