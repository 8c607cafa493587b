export { Access } from "./access.ts";
export { empty, json, jsonText, selected } from "./answer.ts";
export { Attempts } from "./attempts.ts";
export { type AddressSettings, baseAddress } from "./base-address.ts";
export { parseInPieces, parseInTurns, parseJson, readBody, readText, tooLarge } from "./body.ts";
export { BOUNDED, BoundedDictionary } from "./bounds.ts";
export { type Call, type Caller, callOf, strangerWith } from "./call.ts";
export { authorOf, isAdmitted, workspaceOf } from "./caller.ts";
export { ClientAddress, type PeerOf } from "./client-address.ts";
export { Cors, type CorsRules } from "./cors.ts";
export { Draining } from "./draining.ts";
export { renderError, statusOf } from "./errors.ts";
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
} from "./gateway-token.ts";
export { instantOf, isoTime, isoTimeOrNull } from "./instant.ts";
export { jsonList } from "./json-list.ts";
export { JsonRpcMessage, refuseA2aMessage, refuseMessage } from "./json-rpc.ts";
export { keyMissing, SERVICE_KEY_ID } from "./keys.ts";
export { Metrics } from "./metrics.ts";
export { momentOf } from "./moment.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi.ts";
export { type Arrival, type Connection, type Method, type Operation, operation } from "./operation.ts";
export { type Mounted, OperationTable } from "./operation-table.ts";
export { mayUseCookie, originOf } from "./own-page.ts";
export { pageHeaders, pageOf } from "./paging.ts";
export { namesHost, pathnameOf } from "./pathname.ts";
export { isOperator, requireKey, requireOrganization } from "./rank.ts";
export { RateLimit, TooMany } from "./rate-limit.ts";
export { SECRET_FIELD } from "./secret-fields.ts";
export { hasUserCookie, SESSION_COOKIE, SignInSessions, USER_COOKIE } from "./sessions.ts";
export { becomeSocket, type Socket, type SocketEnd, socketHandlers, wantsSocket } from "./socket.ts";
export { sse, waitJson } from "./sse.ts";
export { type StreamReader, tearDown } from "./text-stream.ts";
export { unmatched } from "./unmatched.ts";
export { validator } from "./validator.ts";
