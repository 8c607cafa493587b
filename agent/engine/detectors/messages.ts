import { isRecord } from "../../record.ts";

/** A message of LangChain in a body, in whichever form it was written down. */
export type Message = {
  type: string;
  name: string | null;
  text: string;
  status: string | null;
  toolCallId: string | null;
  toolCalls: { name: string; args: unknown }[];
  finish: string | null;
};

/** Bodies nest: a model's answer is a message in a generation in a list in a list. */
const DEEPEST = 6;

const TYPES: Record<string, string> = {
  AIMessage: "ai",
  AIMessageChunk: "ai",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  assistant: "ai",
  HumanMessage: "human",
  user: "human",
};

/** All messages in a body, in its order. */
export function messagesIn(value: unknown, depth = 0): Message[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => messagesIn(item, depth + 1));
  if (!isRecord(value)) return [];
  const message = messageOf(value);
  if (message) return [message];
  return Object.values(value).flatMap((item) => messagesIn(item, depth + 1));
}

/** A message that LangChain wrote: flat, as a constructor, or as OpenAI's and Anthropic's own clients give it. */
function messageOf(value: Record<string, unknown>): Message | undefined {
  if (value.lc === 1 && isRecord(value.kwargs) && Array.isArray(value.id)) {
    const type = TYPES[String(value.id.at(-1))];
    return type === undefined ? undefined : fromFields(type, value.kwargs);
  }
  const named = typeof value.type === "string" ? value.type : value.role;
  const type = typeof named === "string" ? (TYPES[named] ?? named) : undefined;
  if (!("content" in value) || (type !== "ai" && type !== "tool" && type !== "human" && type !== "message"))
    return undefined;
  // Anthropic's answer is of the type "message", with the role "assistant".
  return fromFields(type === "message" ? "ai" : type, isRecord(value.data) ? value.data : value);
}

function fromFields(type: string, fields: Record<string, unknown>): Message {
  const about = { ...record(fields.additional_kwargs), ...record(fields.response_metadata), ...fields };
  const blocks = Array.isArray(fields.content) ? fields.content.filter(isRecord) : [];
  const used = blocks.filter((block) => block.type === "tool_use");
  return {
    type,
    name: textOr(fields.name),
    text: typeof fields.content === "string" ? fields.content : blocks.map(shown).join(""),
    status: textOr(fields.status),
    toolCallId: textOr(fields.tool_call_id),
    toolCalls: [
      ...calls(about.tool_calls),
      ...used.map(({ name, input }) => ({ name: String(name), args: input })),
    ],
    finish: textOr(about.finish_reason) ?? textOr(about.stop_reason) ?? textOr(about.finishReason),
  };
}

/** Anything that a reader would see: a picture is no empty answer. */
function shown(block: Record<string, unknown>): string {
  if (typeof block.text === "string") return block.text;
  return block.type === "thinking" || block.type === "reasoning" ? "" : "\u25A1";
}

function calls(value: unknown): { name: string; args: unknown }[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((call) => {
    const inner = record(call.function);
    return { name: String(call.name ?? inner.name ?? ""), args: call.args ?? inner.arguments ?? call.input };
  });
}

const record = (value: unknown) => (isRecord(value) ? value : {});
const textOr = (value: unknown) => (typeof value === "string" ? value : null);
