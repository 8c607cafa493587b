export { commandPermit } from "./command-permit.ts";
export { Guard } from "./guard.ts";
export type { GuardedRequest, Permit, PermitRule } from "./permit.ts";
export { assistantRules, storeRules } from "./resource-rules.ts";
export { anybody, asksItself, talksToAssistant } from "./rules.ts";
export { cronRules, runRules } from "./run-rules.ts";
export { threadRules } from "./thread-rules.ts";
