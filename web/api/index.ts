export {
  type AssistantSchemas,
  type SignInPlace,
  sessionPath,
  signIn,
  signOut,
  UNKNOWN,
} from "./endpoints.ts";
export {
  base,
  consoleAddress,
  type FieldFault,
  RequestFailed,
  type RequestOptions,
  reasonOf,
  recall,
  remember,
  request,
  requestText,
  SIGNED_OUT,
} from "./request.ts";
