import { createHash } from "node:crypto";
import { BadRequest, isDigest, type NewManifest } from "@berth/store";

/** As large as a manifest may be. */
export const MANIFEST_BYTES = 4 * 2 ** 20;
/** How much one manifest may name. */
const MOST_PARTS = 1_000;

const INDEXES = new Set([
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
]);
const IMAGES = new Set([
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
]);
/** Layers of these are nobody's to push: whoever pulls gets them elsewhere. */
const ELSEWHERE = /nondistributable|foreign/;

type Descriptor = { digest: string; mediaType: string };
type Fields = Record<string, unknown>;

/**
 * Reads a manifest as it came.
 * @throws BadRequest
 */
export function readManifest(body: Uint8Array, contentType: string): NewManifest {
  const document = parsed(body);
  const declared = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const own = document.mediaType;
  if (own !== undefined && (typeof own !== "string" || (declared !== "" && own.toLowerCase() !== declared)))
    throw invalid(`its mediaType is not the Content-Type ${declared}`);
  const mediaType = declared || String(own ?? "");
  const isIndex = INDEXES.has(mediaType);
  if (!isIndex && !IMAGES.has(mediaType)) throw invalid(`${mediaType || "no media type"} is not taken`);
  if (document.schemaVersion !== 2) throw invalid("its schemaVersion is not 2");
  const config = isIndex ? undefined : descriptor(document.config, "config");
  const layers = isIndex ? [] : descriptors(document.layers, "layers");
  const subject = document.subject === undefined ? null : descriptor(document.subject, "subject").digest;
  return {
    digest: `sha256:${createHash("sha256").update(body).digest("hex")}`,
    ...{ mediaType, body, subject },
    artifactType: artifactTypeOf(document, config),
    annotations: annotationsOf(document.annotations),
    blobs: [...(config ? [config] : []), ...layers.filter((one) => !ELSEWHERE.test(one.mediaType))].map(
      ({ digest }) => digest,
    ),
    manifests: isIndex ? descriptors(document.manifests, "manifests").map(({ digest }) => digest) : [],
  };
}

function parsed(body: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw invalid("it is not JSON");
  }
  return fields(value) ?? fail("it is not an object");
}

function descriptors(value: unknown, what: string): Descriptor[] {
  if (!Array.isArray(value)) throw invalid(`its ${what} are not a list`);
  if (value.length > MOST_PARTS) throw invalid(`it names more than ${MOST_PARTS} ${what}`);
  return value.map((one) => descriptor(one, what));
}

function descriptor(value: unknown, what: string): Descriptor {
  const { digest, mediaType, size } = fields(value) ?? {};
  if (typeof digest !== "string" || !isDigest(digest))
    throw invalid(`a digest in its ${what} is not sha256 and 64 hexadecimal digits`);
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw invalid(`a size in its ${what} is no size`);
  return { digest, mediaType: typeof mediaType === "string" ? mediaType : "" };
}

function artifactTypeOf({ artifactType }: Fields, config: Descriptor | undefined): string | null {
  if (typeof artifactType === "string" && artifactType !== "") return artifactType;
  return config?.mediaType || null;
}

function annotationsOf(value: unknown): Record<string, string> | null {
  const found = value === undefined || value === null ? undefined : fields(value);
  if (found === undefined) return null;
  const texts = Object.entries(found).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

const fields = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

function fail(reason: string): never {
  throw invalid(reason);
}

const invalid = (reason: string) =>
  new BadRequest(`The manifest is not valid: ${reason}`, { code: "MANIFEST_INVALID" });
