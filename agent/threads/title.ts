import { isRecord } from "../record.ts";

const LONGEST = 80;

/** What a thread is called after the input of its first run: the first words that a person wrote. */
export function titleOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const { messages } = input;
  const first = (isPair(messages) || !Array.isArray(messages) ? [messages] : messages).find(isHuman);
  // Not every database keeps a text with that character.
  const text = textOf(contentOf(first)).replaceAll("\u0000", "").trim();
  return text === "" ? undefined : [...text].slice(0, LONGEST).join("");
}

/** The short form of a message: who, and what. */
function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && roles.has(value[0]);
}

const roles = new Set(["human", "user", "ai", "assistant", "system"]);

/** LangChain takes a bare text for the words of a person. */
function isHuman(message: unknown): boolean {
  if (typeof message === "string") return true;
  const role = isPair(message) ? message[0] : isRecord(message) ? (message.role ?? message.type) : undefined;
  return role === "human" || role === "user";
}

function contentOf(message: unknown): unknown {
  if (isPair(message)) return message[1];
  return isRecord(message) ? message.content : message;
}

/** Of several texts the first that says something: attached files come behind what a person wrote. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block) => (typeof block === "string" ? block : blockText(block)));
  return texts.find((text) => text.trim() !== "") ?? "";
}

function blockText(block: unknown): string {
  return isRecord(block) && block.type === "text" && typeof block.text === "string" ? block.text : "";
}
