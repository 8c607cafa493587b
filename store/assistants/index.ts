export type { Assistant, AssistantVersion } from "./assistant-rows.ts";
export { type AssistantSort, Assistants } from "./assistants.ts";
export { type SystemAssistant, syncSystemAssistants, upsertSystemAssistant } from "./system-assistants.ts";
