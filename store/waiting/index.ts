export { Serial } from "./serial.ts";
export { type Patience, Signal, Signals } from "./signal.ts";
export { type Follow, Tail, type TailBatch, type TailBounds } from "./tail.ts";
