import { interruptsOfResult } from "@berth/agent";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

type Values = Record<string, unknown>;

/**
 * What a run came to (`runs.result`), as a model reads it: the content of the last message where the graph has
 * messages, else the values as JSON; for programs, the values as they are.
 */
export function toolResult(text: string): CallToolResult {
  const values: unknown = JSON.parse(text);
  if (!isValues(values)) return { content: [{ type: "text", text }] };
  if (isValues(values.__error__)) return failed(values.__error__);
  const interrupts = interruptsOfResult(values);
  if (interrupts) return stopped(values, interrupts);
  const content = contentOf(values.messages);
  return { content: content ?? [{ type: "text", text }], structuredContent: values };
}

/** A failure as the model is told: it may try again with other arguments. */
export function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

function failed({ error, message }: Values): CallToolResult {
  return failure(String(message || error || "The run failed"));
}

function stopped(values: Values, interrupts: unknown[]): CallToolResult {
  const asked = interrupts.map((one) => (isValues(one) && "value" in one ? one.value : one));
  const questions = asked.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  const text =
    `The agent stopped and waits for an answer${questions.length > 0 ? `: ${questions.join("; ")}` : "."}\n` +
    "A tool call cannot be resumed. Give the answer with the arguments of a new call, " +
    "or run this assistant on a thread, where it can be resumed.";
  return { ...failure(text), structuredContent: values };
}

/** The content of the last message; none when there is no message, or nothing in it. */
function contentOf(messages: unknown): ContentBlock[] | undefined {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isValues(last)) return undefined;
  const { content } = last;
  if (typeof content === "string") return content === "" ? undefined : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  const blocks = content.flatMap((block) => (isValues(block) ? blockOf(block) : []));
  return blocks.length > 0 ? blocks : undefined;
}

/** A content block of LangChain in the protocol's form; reasoning, tool calls and their like are not told. */
function blockOf(block: Values): ContentBlock[] {
  const { type, text } = block;
  const uri = textOf(block.url) ?? textOf(block.image_url) ?? textOf(asValues(block.image_url).url);
  const inline = dataUrl(uri);
  const data = inline?.data ?? textOf(block.data);
  const mimeType = inline?.mimeType ?? textOf(block.mimeType) ?? textOf(block.mime_type);
  if (type === "text" && typeof text === "string") return [{ type: "text", text }];
  if ((type === "image" || type === "image_url") && data !== undefined)
    return [{ type: "image", data, mimeType: mimeType ?? "image/png" }];
  if (type === "audio" && data !== undefined)
    return [{ type: "audio", data, mimeType: mimeType ?? "audio/wav" }];
  const name = textOf(asValues(block.metadata).filename) ?? textOf(block.filename) ?? "file";
  const named = { uri: uri ?? `file:///${encodeURIComponent(name)}`, ...(mimeType ? { mimeType } : {}) };
  if (typeof text === "string") return [{ type: "resource", resource: { ...named, text } }];
  if (data !== undefined)
    return [{ type: "resource", resource: { ...named, uri: nameOf(name, inline, uri), blob: data } }];
  return uri === undefined ? [] : [{ type: "resource_link", name, ...named }];
}

/** Bytes that came inside their address get the name of their file for one. */
function nameOf(name: string, inline: unknown, uri: string | undefined): string {
  return uri !== undefined && inline === undefined ? uri : `file:///${encodeURIComponent(name)}`;
}

function dataUrl(uri: string | undefined): { data: string; mimeType: string } | undefined {
  const [, mimeType, data] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(uri ?? "") ?? [];
  return mimeType === undefined || data === undefined ? undefined : { data, mimeType };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const asValues = (value: unknown): Values => (isValues(value) ? value : {});

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
