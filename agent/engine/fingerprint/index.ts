export { type Facts, fingerprintOf, ownPrint } from "./fingerprint.ts";
export { type Kind, Kinds, settled } from "./kinds.ts";
export { applied } from "./message.ts";
export { keyOfRules } from "./rule-match.ts";
export { UNITS } from "./rules.ts";
export { wordsOf } from "./words.ts";
