import { runFields } from "../agent/index.ts";
import { validator } from "../http/index.ts";
import type { HistoryScope } from "./history-scope.ts";
import { isValues } from "./parts.ts";
import type { Beside } from "./task-handler.ts";

type Values = Record<string, unknown>;

/** What a request says, as far as the library would take what is none for something. */
type Asked = {
  params: unknown;
  /** Undefined when it is none. */
  scope: HistoryScope | undefined;
  /** Whether it sends a message. */
  sends: boolean;
  streams: boolean;
};

/** Whether a body is a request of JSON-RPC 2.0. */
export const isEnvelope = ({ jsonrpc, id = null, method }: Values): boolean =>
  jsonrpc === "2.0" &&
  (id === null || typeof id === "string" || typeof id === "number") &&
  typeof method === "string" &&
  method !== "";

/** What is wrong with a request's parameters; undefined where nothing is. */
export function faultOf({ params, scope, sends, streams }: Asked): string | undefined {
  if (scope === undefined) return "historyScope has to be spelt so, and be `context` or `task`";
  if (streams && scope === "task") return "A stream has no historyScope `task`";
  if (!sends) return undefined;
  const given = isValues(params) ? params : {};
  return faultOfMessage(given.message) ?? faultOfCommand(given);
}

const ROLES = /^(?:ROLE_)?(?:USER|AGENT)$/i;

function faultOfMessage(message: unknown): string | undefined {
  if (!isValues(message)) return "params.message is required";
  const { role, parts } = message;
  if (typeof role !== "string" || !ROLES.test(role))
    return "message.role has to be the user's or the agent's";
  const noText = ["messageId", "contextId", "taskId"].find((name) => !isTextOrNothing(message[name]));
  if (noText) return `message.${noText} has to be a text`;
  if (!Array.isArray(parts) || !parts.every(isValues)) return "message.parts has to be a list of parts";
  return parts.map(faultOfPart).find((fault) => fault !== undefined);
}

/** In either version: a text by itself, a file by its address or its bytes. */
function faultOfPart(part: Values): string | undefined {
  const file = isValues(part.file) ? part.file : {};
  const { text, url, raw, filename, mediaType } = part;
  const texts = { text, url, raw, filename, mediaType, ...file };
  const noText = Object.entries(texts).find(([, value]) => !isTextOrNothing(value));
  if (noText) return `${noText[0]} of a part has to be a text`;
  if (part.kind === "text" && typeof text !== "string") return "A part of the kind `text` has to have one";
  const bytes = raw ?? file.bytes;
  return typeof bytes === "string" && !BASE64.test(bytes)
    ? "The bytes of a part have to be base64"
    : undefined;
}

const BASE64 = /^[\w+/-]*={0,2}$/;

const isTextOrNothing = (value: unknown) =>
  value === undefined || value === null || typeof value === "string";

let command: ReturnType<typeof validator> | undefined;

/** LangGraph's servers take one beside the message, for a task that asked. */
function faultOfCommand({ command: given, message }: Values): string | undefined {
  if (given === undefined || given === null) return undefined;
  command ??= validator(runFields.command, "body");
  if (!command.accepts(given)) return "command has to be {resume, update, goto}";
  const hasTask = isValues(message) && typeof message.taskId === "string" && message.taskId !== "";
  return hasTask ? undefined : "command needs the taskId of the task that it answers";
}

/** What comes beside a message; it has been checked. */
export function besideMessage(params: unknown): Beside {
  const { command, context } = isValues(params) ? params : {};
  return {
    command: isValues(command) ? (command as Beside["command"]) : undefined,
    context: context ?? undefined,
  };
}
