export type {
  Assistant,
  AssistantSchemas,
  JsonSchema,
} from "./assistants.ts";
export { base, consoleAddress } from "./base.ts";
export { recall, remember } from "./browser-storage.ts";
export { RequestFailed, type RequestOptions, request, requestText, SIGNED_OUT } from "./request.ts";
export { type SignIn, type SignInPlace, sessionPath, signIn, signOut } from "./sign-in.ts";
export {
  cancelRun,
  deleteThread,
  historyPath,
  renameThread,
  type ThreadState,
  type ThreadSummary,
  threadsPath,
} from "./threads.ts";
