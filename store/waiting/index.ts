export { Serial, Signal, Signals } from "./signal.ts";
export { type Follow, Tail, type TailBatch, type TailBounds } from "./tail.ts";
