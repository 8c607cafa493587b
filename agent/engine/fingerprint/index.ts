export { type Facts, fingerprintOf, ownPrint } from "./fingerprint.ts";
export { type Kind, Kinds } from "./kinds.ts";
export { keyOfRules } from "./rule-match.ts";
export { wordsOf } from "./words.ts";
