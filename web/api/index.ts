export type { AssistantSchemas, JsonSchema } from "./assistants.ts";
export { base, consoleAddress } from "./base.ts";
export { recall, remember } from "./browser-storage.ts";
export { RequestFailed, type RequestOptions, request, requestText, SIGNED_OUT } from "./request.ts";
export { type SignInPlace, sessionPath, signIn, signOut, UNKNOWN } from "./sign-in.ts";
export { cancelRun, deleteThread, historyPath, renameThread, THREADS, threadsPath } from "./threads.ts";
