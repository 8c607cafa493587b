export { compileLater } from "./later.ts";
export { AHEAD, compiledAhead, PROGRAM, stampOf } from "./stamp.ts";
