import type { Message, Part } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";

type Values = Record<string, unknown>;

const part = (content: Part["content"], { filename = "", mediaType = "" } = {}): Part => ({
  content,
  filename,
  mediaType,
  metadata: undefined,
});

export const textPart = (value: string): Part => part({ $case: "text", value });
export const dataPart = (value: unknown): Part =>
  part({ $case: "data", value }, { mediaType: "application/json" });

/** The parts of a message's content, which is text or LangChain's content blocks. */
export function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (isValues(block) ? blockParts(block) : partsOf(block)));
}

/** Of reasoning, tool calls and their like nothing is told. */
function blockParts(block: Values): Part[] {
  const { type, text, data, value } = block;
  if (type === "text") return typeof text === "string" && text !== "" ? [textPart(text)] : [];
  if (type === "data" && data !== undefined && typeof data !== "string") return [dataPart(data)];
  if (type === "non_standard" && isValues(value)) return [dataPart(value)];
  if (typeof type !== "string" || !FILES.has(type)) return [];
  const filename = word(asValues(block.metadata).filename) ?? word(block.filename);
  const url = word(block.url) ?? word(block.image_url) ?? word(asValues(block.image_url).url);
  const [, inlineType, inline] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(url ?? "") ?? [];
  const mediaType = inlineType ?? word(block.mimeType) ?? word(block.mime_type);
  const named = { ...(filename ? { filename } : {}), ...(mediaType ? { mediaType } : {}) };
  const base64 = inline ?? word(data);
  if (base64 !== undefined) return [part({ $case: "raw", value: Buffer.from(base64, "base64") }, named)];
  if (url !== undefined) return [part({ $case: "url", value: url }, named)];
  return typeof text === "string" ? [part({ $case: "text", value: text }, named)] : [];
}

const FILES = new Set(["image", "image_url", "audio", "video", "file", "text-plain"]);

/** The parts of a message as the content of a human one; those that are data are no content. */
function contentOf(parts: Part[]): string | Values[] | undefined {
  const blocks = parts.flatMap(contentBlock);
  if (blocks.length === 0) return undefined;
  const texts = blocks.map(({ type, text }) => (type === "text" ? String(text) : undefined));
  return texts.every((text) => text !== undefined) ? texts.join("\n") : blocks;
}

function contentBlock({ content, mediaType, filename }: Part): Values[] {
  if (content?.$case === "text") return [{ type: "text", text: content.value }];
  if (content?.$case !== "raw" && content?.$case !== "url") return [];
  const type = mediaType || "application/octet-stream";
  const base64 = content.$case === "raw" ? Buffer.from(content.value).toString("base64") : undefined;
  // The form that every chat model takes for an image.
  if (type.startsWith("image/"))
    return [
      { type: "image_url", image_url: { url: base64 ? `data:${type};base64,${base64}` : content.value } },
    ];
  const source =
    base64 === undefined
      ? { source_type: "url", url: content.value }
      : { source_type: "base64", data: base64 };
  const kind = type.startsWith("audio/") ? "audio" : "file";
  return [{ type: kind, ...source, mime_type: type, ...(filename ? { metadata: { filename } } : {}) }];
}

const word = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const asValues = (value: unknown): Values => (isValues(value) ? value : {});

export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What a message asks a graph: its data parts are merged into the input, the others are one human message.
 * @throws RequestMalformedError for text or files when the graph takes no messages
 */
export function inputOf(message: Message, takesMessages: boolean): Values {
  const input = Object.assign({}, ...dataOf(message)) as Values;
  const content = contentOf(message.parts);
  if (content === undefined) return input;
  if (!takesMessages)
    throw new RequestMalformedError(
      "This agent takes no messages (its input has no `messages`): send its input as a data part",
    );
  const earlier = Array.isArray(input.messages) ? input.messages : [];
  return { ...input, messages: [...earlier, { type: "human", content, id: message.messageId }] };
}

/**
 * The answer to what a task asked: `{resume: …}` in a data part as the graph gets it, where a list of `{id, value}`
 * answers several questions at once; else the text, or the data.
 */
export function answerOf(message: Message): unknown {
  const data = dataOf(message);
  const given = data.find((one) => "resume" in one);
  if (given) return answersById(given.resume) ?? given.resume;
  return contentOf(message.parts) ?? Object.assign({}, ...data);
}

function answersById(resume: unknown): Values | undefined {
  if (!Array.isArray(resume) || resume.length === 0) return undefined;
  const answers = resume.filter(
    (one): one is { id: string; value: unknown } =>
      isValues(one) && typeof one.id === "string" && "value" in one,
  );
  if (answers.length !== resume.length) return undefined;
  return Object.fromEntries(answers.map(({ id, value }) => [id, value]));
}

function dataOf({ parts }: Message): Values[] {
  return parts.flatMap(({ content }) => {
    if (content?.$case !== "data") return [];
    if (!isValues(content.value)) throw new RequestMalformedError("A data part has to be an object");
    return [content.value];
  });
}
