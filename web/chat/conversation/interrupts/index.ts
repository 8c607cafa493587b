export { Interrupts } from "./interrupts.tsx";
export { readAnswer } from "./payload.ts";
export { Questions } from "./question-record.tsx";
export { useAnswering } from "./use-answering.ts";
export { declinedCalls, withoutWaiting } from "./verdicts.ts";
