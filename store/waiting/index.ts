export { Serial } from "./serial.ts";
export { type Patience, Signal, Signals } from "./signal.ts";
