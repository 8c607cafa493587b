import { ENCODINGS, type Encoding, type PageFile } from "./page.ts";

/** Everything that the page loads or calls is ours; nobody may put it into a frame. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // A picture of elsewhere is fetched when its reader asks for it, and by nothing else.
  "img-src 'self' https: data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * What a project's component may do. It runs in an origin of its own, where it has no hold of the sign-in of whoever
 * looks at it. The markup that loads one starts it by an attribute, and what it shows may be anywhere.
 */
const componentPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline' https:",
  "img-src 'self' https: data: blob:",
  "media-src 'self' https: data: blob:",
  "font-src 'self' https: data:",
  "connect-src https:",
  "frame-src https:",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox",
].join("; ");

const everyFile = { "x-content-type-options": "nosniff", vary: "Accept-Encoding" };

const ofDocument = {
  ...everyFile,
  // Asked for each time, so that a page never outlives the server that it belongs to.
  "cache-control": "no-cache",
  "content-security-policy": contentPolicy,
  "referrer-policy": "same-origin",
};

/** Over plain HTTP browsers ignore it, and complain on the console; there they send no `Sec-Fetch-*` either. */
const ofSecureDocument = { ...ofDocument, "cross-origin-opener-policy": "same-origin" };

const ofComponent = { ...ofDocument, "content-security-policy": componentPolicy };

const ofAsset = {
  ...everyFile,
  "cache-control": "public, max-age=31536000, immutable",
  // They are the same for everybody, and a page in a sandbox, such as the reference of a deployment, has no origin.
  "access-control-allow-origin": "*",
};

/** A file of the page in the best form that the browser takes; 304 when it has that already. */
export function pageAnswer(
  file: PageFile,
  { headers }: Request,
  kind: "document" | "component" | "asset",
): Response {
  const encoding = encodingFor(headers.get("accept-encoding"), file);
  const etag = `"${file.hash}${encoding === "identity" ? "" : `-${encoding}`}"`;
  const ofDocumentHere = headers.has("sec-fetch-dest") ? ofSecureDocument : ofDocument;
  const common = { ...{ document: ofDocumentHere, component: ofComponent, asset: ofAsset }[kind], etag };
  if (names(headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers: common });
  const body = file.bodies[encoding] ?? file.bodies.identity;
  return new Response(body, {
    headers: {
      ...common,
      "content-type": file.type,
      "content-length": String(body.size),
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    },
  });
}

/** The smallest form that an `Accept-Encoding` (RFC 9110, 12.5.3) allows. */
function encodingFor(accepted: string | null, { bodies }: PageFile): Encoding {
  const weights = new Map(
    (accepted ?? "").split(",").map((part): [string, number] => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  const allows = (encoding: Encoding) => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
  return ENCODINGS.find((encoding) => bodies[encoding] !== undefined && allows(encoding)) ?? "identity";
}

/** Whether an `If-None-Match` holds this tag; weak ones count as equal here. */
function names(condition: string | null, etag: string): boolean {
  if (condition === null) return false;
  return condition.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}
