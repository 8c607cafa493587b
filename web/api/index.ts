export {
  type Assistant,
  type AssistantSchemas,
  type JsonSchema,
  listAssistants,
  readSchemas,
} from "./assistants.ts";
export { base, consoleAddress } from "./base.ts";
export { recall, remember } from "./browser-storage.ts";
export type { Connection } from "./connection.ts";
export { RequestFailed, request, SIGNED_OUT } from "./request.ts";
export type { LastRun } from "./run-log.ts";
export { readSignIn, type SignIn, signIn, signOut } from "./sign-in.ts";
export { type OpenThread, openThread } from "./thread.ts";
export type { RunSettings } from "./thread-adapter.ts";
export {
  cancelRun,
  deleteThread,
  listThreads,
  readCheckpoint,
  readHistory,
  renameThread,
  type ThreadState,
  type ThreadSummary,
} from "./threads.ts";
