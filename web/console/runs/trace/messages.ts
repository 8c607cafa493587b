import { WORDS } from "../words.tsx";
/** A message as people read it, whoever wrote it down. */
export type ShownMessage = {
  role: "human" | "ai" | "system" | "tool" | "other";
  /** Who it is from, where the role does not say it. */
  name?: string;
  text: string;
  calls: { name: string; args: unknown }[];
  isError: boolean;
};

/** What of a span's inputs or outputs are messages, and what is not. */
type ShownMessages = { messages: ShownMessage[]; rest: unknown };

type Fields = Record<string, unknown>;

/** Where messages are kept, in what LangGraph, LangChain and the wrappers of providers write down. */
const PLACES = ["messages", "message", "output", "generations", "choices"] as const;

/** Takes the messages out of what a span took in or gave, the rest as it is. */
export function messagesOf(value: unknown): ShownMessages {
  const update = commandUpdate(value);
  if (update) return messagesOf(update);
  const all = listOf(value);
  if (all) return { messages: all, rest: undefined };
  if (!isFields(value)) return { messages: [], rest: value };
  const rest: Fields = { ...value };
  const messages: ShownMessage[] = [];
  for (const place of PLACES) {
    const found = listOf(value[place]);
    if (!found) continue;
    messages.push(...found);
    delete rest[place];
  }
  const isAll = Object.values(rest).every((left) => left === null || left === undefined);
  return { messages, rest: messages.length > 0 && isAll ? undefined : rest };
}

/** What the one command of a node changes, if that is all that the node gave. */
function commandUpdate(value: unknown): Fields | undefined {
  const command: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isFields(command) || command.lg_name !== "Command" || !isFields(command.update)) return undefined;
  const { lg_name: _, update, ...rest } = command;
  const others = Object.entries(rest).filter(([, part]) => !isEmpty(part));
  return { ...update, ...Object.fromEntries(others) };
}

const isEmpty = (part: unknown) =>
  part === null || part === undefined || (Array.isArray(part) && part.length === 0);

/** The value as messages, if that is what it is and nothing else. */
function listOf(value: unknown): ShownMessage[] | undefined {
  if (isFields(value)) {
    const message = messageOf(value);
    return message && [message];
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const lists = value.map((each) => (typeof each === "string" ? leftOut(each) : listOf(each)));
  const known = lists.filter((list) => list !== undefined);
  // At least one of them is a message: texts alone are texts.
  const isMessages = known.length === lists.length && value.some((each) => typeof each !== "string");
  return isMessages ? known.flat() : undefined;
}

/** The tracer puts a text such as `… 12 more` where it left messages out. */
function leftOut(text: string): ShownMessage[] | undefined {
  if (!/^… \d+ more$/.test(text)) return undefined;
  return [{ role: "other", name: WORDS.notKept, text, calls: [], isError: false }];
}

function messageOf(value: Fields): ShownMessage | undefined {
  // LangChain's serialized form, a generation around a message, and what OpenAI's choices have.
  if (value.lc === 1 && isFields(value.kwargs)) return messageOf({ type: lastOf(value.id), ...value.kwargs });
  if (isFields(value.message)) return messageOf(value.message);
  if (isFields(value.data) && typeof value.type === "string" && "content" in value.data)
    return messageOf({ type: value.type, ...value.data });
  const role = roleOf(value.type) ?? roleOf(value.role);
  if (!role || !("content" in value)) return undefined;
  const name = typeof value.name === "string" && value.name !== "" ? value.name : undefined;
  return {
    role,
    ...(name !== undefined && { name }),
    text: textOf(value.content),
    calls: callsOf(value),
    isError: value.status === "error",
  };
}

const lastOf = (id: unknown) => (Array.isArray(id) ? id.at(-1) : undefined);

const ROLES: [RegExp, ShownMessage["role"]][] = [
  [/^(human|user|HumanMessage(Chunk)?)$/, "human"],
  [/^(ai|assistant|AIMessage(Chunk)?)$/, "ai"],
  [/^(system|developer|SystemMessage(Chunk)?)$/, "system"],
  [/^(tool|function|ToolMessage(Chunk)?)$/, "tool"],
];

const roleOf = (name: unknown) =>
  typeof name === "string" ? ROLES.find(([pattern]) => pattern.test(name))?.[1] : undefined;

function callsOf({ tool_calls, additional_kwargs }: Fields): ShownMessage["calls"] {
  const within = isFields(additional_kwargs) ? additional_kwargs.tool_calls : undefined;
  const calls = Array.isArray(tool_calls) && tool_calls.length > 0 ? tool_calls : within;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isFields).map((call) => {
    const of = isFields(call.function) ? call.function : call;
    return { name: String(of.name ?? "tool"), args: readArguments(of.args ?? of.arguments) };
  });
}

/** OpenAI has them as JSON text. */
function readArguments(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** The words of a message; what is none is named. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map(blockText).filter(Boolean).join("\n");
}

function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  if (!isFields(block)) return "";
  if (typeof block.text === "string") return block.text;
  if (typeof block.reasoning === "string") return block.reasoning;
  // Calls are shown as calls.
  return block.type === "tool_use" || block.type === "tool_call"
    ? ""
    : `[${String(block.type ?? "content")}]`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
