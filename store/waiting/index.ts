export { type Patience, Signal, Signals } from "./signal.ts";
