export { base, consoleAddress, recall, remember } from "./base.ts";
export {
  type AssistantSchemas,
  cancelRun,
  deleteThread,
  type FormSchema,
  historyPath,
  renameThread,
  type SignInPlace,
  sessionPath,
  signIn,
  signOut,
  THREADS,
  threadsPath,
  UNKNOWN,
} from "./endpoints.ts";
export { RequestFailed, type RequestOptions, request, requestText, SIGNED_OUT } from "./request.ts";
