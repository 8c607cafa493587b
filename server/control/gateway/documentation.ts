import { type Arrival, answerText, type Operation } from "../../http/index.ts";
import { admission, type PassingDeps } from "./passing.ts";
import { SANDBOX } from "./response-headers.ts";
import type { Visiting } from "./visit.ts";

/** A larger API document is left out of its page. */
const MAX_DOCUMENT_BYTES = 4_194_304;
const IS_PAGE = /^text\/html\b/;
/** Headers of a body that is sent as it is stored. */
const OF_BODY = ["content-length", "content-encoding", "etag", "vary"];
/** Asks for a whole answer, uncompressed. */
const CONDITIONAL = ["accept-encoding", "if-none-match", "if-modified-since", "if-range", "range"];

type Given = [visit: Visiting, arrival: Arrival, maxBodyBytes: number];

/**
 * Berth's page about a deployment's API, in the sandbox of every page of a deployment: the API document is the
 * deployment's, and could name addresses of Berth, to which the page would send requests with the reader's sign-in.
 * The sandbox has no sign-in, so the document is in the page.
 */
export async function documentationPage(
  deps: PassingDeps,
  page: Operation,
  ...[visit, arrival, maxBodyBytes]: Given
): Promise<Response> {
  const { request } = visit;
  const plain = asked(request, request.url);
  const answer = await page.serve({ ...arrival, request: plain }, maxBodyBytes);
  if (!IS_PAGE.test(answer.headers.get("content-type") ?? "")) return answer;
  const [html, document] = await Promise.all([answer.text(), apiDocument(deps, visit)]);
  const { headers } = answer;
  for (const name of OF_BODY) headers.delete(name);
  headers.set("cache-control", "no-store");
  headers.append("content-security-policy", SANDBOX);
  const body = document === undefined ? html : withDocument(html, document);
  return new Response(request.method === "HEAD" ? null : body, { status: answer.status, headers });
}

/** Adds the document as data, which is no script to a browser. */
function withDocument(html: string, document: string): string {
  const data = document.replaceAll("<", "\\u003c");
  const script = `<script type="application/json" id="api-document">${data}</script>`;
  return html
    .replace(
      '"url":"../openapi.json"',
      '"spec":JSON.parse(document.getElementById("api-document").textContent)',
    )
    .replace("</head>", () => `${script}</head>`);
}

/** The deployment's API document as JSON text; undefined where it has none that can be read. */
async function apiDocument({ gateway, access }: PassingDeps, visit: Visiting): Promise<string | undefined> {
  const url = visit.request.url.replace(/\/docs(?:\/swagger)?\/?(?:\?.*)?$/, "/openapi.json");
  const admit = admission(access, visit);
  const caller = visit.call.caller ?? (await admit());
  const request = asked(visit.request, url);
  const response = await gateway.handle({ ...visit, request, server: null, admit, caller });
  const text = response.ok ? await answerText(response, MAX_DOCUMENT_BYTES) : undefined;
  await response.body?.cancel().catch(() => undefined);
  return text !== undefined && isJson(text) ? text : undefined;
}

function asked({ headers, signal }: Request, url: string): Request {
  const plain = new Headers(headers);
  for (const name of CONDITIONAL) plain.delete(name);
  return new Request(url, { headers: plain, signal });
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
