// What is different between two states, as data and on the page.

export { ChangeList } from "./change-list.tsx";
export { changedKeys, type StateChange, stateDiff } from "./state-diff.ts";
