import { encode, encodeState } from "../wire.ts";
import type { ThreadState } from "./thread-state.ts";

/** JSON of a state: the same bytes as `encode`, but a message that the states of a history share costs once. */
export function encodeThreadState({ values, ...rest }: ThreadState): string {
  return `{"values":${encodeState(values)},${encode(rest).slice(1)}`;
}

/** JSON of a history. */
export function encodeHistory(states: ThreadState[]): string {
  return `[${states.map(encodeThreadState).join(",")}]`;
}
