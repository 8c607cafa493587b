export { Access } from "./access.ts";
export { type AddressSettings, baseAddress, namesHost, pathnameOf } from "./address.ts";
export { empty, json, jsonText, pageHeaders, pageOf, selected, streamed } from "./answer.ts";
export { jsonList, sse, waitJson } from "./answer-stream.ts";
export { answerText } from "./answer-text.ts";
export {
  BodyTimeout,
  bodyPieces,
  parseInPieces,
  parseInTurns,
  parseJson,
  readBody,
  readBytes,
  readText,
  tooLarge,
  withinBudget,
} from "./body.ts";
export { BodyBudget, processBodyBudget, SMALL_BODY } from "./body-budget.ts";
export { BLOB_BYTES, BOUNDED, BoundedDictionary } from "./bounds.ts";
export { type Call, type Caller, callOf, strangerWith } from "./call.ts";
export { authorOf, isAdmitted, isOperator, requireKey, requireOrganization, workspaceOf } from "./caller.ts";
export { ClientAddress, networkOf, type PeerOf, PROXY_HEADER } from "./client-address.ts";
export { Cors, type CorsRules } from "./cors.ts";
export { csv, csvLine } from "./csv.ts";
export { Draining } from "./draining.ts";
export { renderError, statusOf, unmatched } from "./errors.ts";
export {
  Count,
  countingField,
  Dictionary,
  Instant,
  limitField,
  nullable,
  offsetField,
  oneOf,
  optional,
  text,
  Uuid,
  wordsOf,
} from "./fields.ts";
export {
  CLAIM_PATH,
  GATEWAY_HEADER,
  GatewayToken,
  NOBODY_HEADER,
  OWN_AUTH_HEADER,
  REST_PATH,
} from "./gateway-token.ts";
export { HOP_HEADER, Hops, MOVED_HEADER, type PassedOn, pathIn, takeHop } from "./hop.ts";
export { instantOf, isoTime, isoTimeOrNull, momentOf } from "./instant.ts";
export { JsonRpcMessage, refuseA2aMessage, refuseMessage } from "./json-rpc.ts";
export { keyMissing, SERVICE_KEY_ID } from "./keys.ts";
export { Metrics } from "./metrics.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi.ts";
export {
  type Arrival,
  type Connection,
  type Method,
  type Operation,
  operation,
  unknownFieldsOf,
} from "./operation.ts";
export { type Mounted, OperationTable } from "./operation-table.ts";
export { mayUseCookie, originOf } from "./own-page.ts";
export { Attempts, RateLimit } from "./rate-limit.ts";
export { hasUserCookie, SESSION_COOKIE, SignInSessions, USER_COOKIE } from "./sessions.ts";
export {
  becomeSocket,
  type OpenSocket,
  type Socket,
  type SocketEnd,
  socketHandlers,
  wantsSocket,
} from "./socket.ts";
export { SocketLimit } from "./socket-limit.ts";
export { type StreamReader, tearDown } from "./text-stream.ts";
export { TooMany } from "./too-many.ts";
export { SECRET_FIELD, validator } from "./validator.ts";
