import type { ApiDocument, ApiOperation, Parameter } from "./api-document.ts";
import { WORDS } from "./words.ts";

/** What a reader has filled in for an operation. */
type Filled = { parameters: Readonly<Record<string, string>>; body: string };

/** What proves who asks, beside the sign-in of the browser. */
export type Proof = { key: string; workspace: string };

/** An operation, and what a request for it takes from its surroundings. */
export type OperationProps = {
  operation: ApiOperation;
  api: ApiDocument;
  proof: Proof;
  /** Whether a request without a key needs a sign-in. */
  wantsKey: boolean;
};

export type ApiRequest = { method: string; url: string; headers: Record<string, string>; body?: string };

/** The name under which a form keeps a parameter: one in the path and one in the query may have the same. */
export const fieldOf = (parameter: Parameter): string => `${parameter.in}.${parameter.name}`;

const isList = ({ schema }: Parameter) => schema?.type === "array";

/** The request that an operation is, filled in; `root` is in front of every path. */
export function requestFor(operation: ApiOperation, filled: Filled, proof: Proof, root: string): ApiRequest {
  const { method, path, parameters, body } = operation;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let address = path;
  for (const parameter of parameters) {
    const value = filled.parameters[fieldOf(parameter)]?.trim() ?? "";
    if (parameter.in === "path")
      address = address.replace(
        `{${parameter.name}}`,
        value ? encodeURIComponent(value) : `{${parameter.name}}`,
      );
    if (value === "") continue;
    if (parameter.in === "header") headers[parameter.name.toLowerCase()] = value;
    if (parameter.in === "query")
      for (const one of isList(parameter) ? value.split(",") : [value])
        query.append(parameter.name, one.trim());
  }
  if (proof.key) headers["x-api-key"] = proof.key;
  if (proof.workspace) headers["x-tenant-id"] = proof.workspace;
  const isSent = body !== undefined && filled.body.trim() !== "";
  if (isSent) headers["content-type"] = body.mediaType;
  const search = query.size > 0 ? `?${query}` : "";
  return { method, url: root + address + search, headers, ...(isSent && { body: filled.body }) };
}

/** What is missing before it can be sent. */
export function missingIn({ parameters, body }: ApiOperation, filled: Filled): string[] {
  const empty = parameters.filter((one) => one.required && !filled.parameters[fieldOf(one)]?.trim());
  const noBody = body?.isRequired && filled.body.trim() === "" ? [WORDS.theBody] : [];
  return [...empty.map(({ name }) => name), ...noBody];
}

/**
 * The same as a command for a shell. Whoever signed in has a key that this page never sees: where one is wanted and
 * none was given, the command takes it from `BERTH_API_KEY`.
 */
export function curlOf({ method, url, headers, body }: ApiRequest, wantsKey: boolean): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const key = wantsKey && !("x-api-key" in headers) ? ['-H "x-api-key: $BERTH_API_KEY"'] : [];
  const parts = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    ...key,
    ...named,
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** An answer as far as it has come. */
export type ApiAnswer = {
  status: number;
  statusText: string;
  mediaType: string;
  /** Until its headers were there. */
  ms: number;
  text: string;
  /** Only the beginning of it is kept. */
  isCut: boolean;
};

/** As much of an answer is shown, in characters. */
const MOST_SHOWN = 200_000;

/**
 * Sends a request, and tells of its answer as it comes: some never end by themselves.
 * @throws TypeError the server does not answer
 */
export async function send(
  { url, ...init }: ApiRequest,
  signal: AbortSignal,
  tell: (answer: ApiAnswer) => void,
): Promise<void> {
  const begun = performance.now();
  const response = await fetch(url, { ...init, signal });
  const mediaType = response.headers.get("content-type") ?? "";
  const { status, statusText } = response;
  const about = { status, statusText, mediaType, ms: performance.now() - begun };
  let text = "";
  tell({ ...about, text, isCut: false });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    const isCut = text.length > MOST_SHOWN;
    if (isCut) text = text.slice(0, MOST_SHOWN);
    tell({ ...about, text, isCut });
    if (isCut) return reader?.cancel();
  }
  tell({ ...about, text: pretty(text, mediaType), isCut: false });
}

function pretty(text: string, mediaType: string): string {
  if (!/[/+]json\b/.test(mediaType)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
