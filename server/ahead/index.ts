export { AHEAD, compiledAhead, stampOf } from "./stamp.ts";
