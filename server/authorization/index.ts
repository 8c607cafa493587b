export { Guard, missingThread } from "./guard.ts";
export {
  anybody,
  asksItself,
  commandPermit,
  type GuardedRequest,
  type Permit,
  type PermitRule,
  talksToAssistant,
} from "./permit.ts";
export { assistantRules, namespaceLabels, storeRules } from "./resource-rules.ts";
export { cronRules, runRules } from "./run-rules.ts";
export { threadRules } from "./thread-rules.ts";
export { ThreadSight } from "./thread-sight.ts";
