import { createHash } from "node:crypto";

/** How the bytes of a file may be sent, the smallest first. */
export const ENCODINGS = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One file of the page in every form in which it is sent; text that is too short to gain has one only. */
export type PageFile = {
  type: string;
  /** Of the uncompressed bytes, without quotes. */
  hash: string;
  bodies: { identity: Blob } & Partial<Record<Encoding, Blob>>;
};

/**
 * The chat as a browser loads it: one document, and files under names that change with their content. Its addresses
 * are relative, since a deployment's chat has a path in front.
 */
export type Page = {
  document: PageFile;
  /** The document at addresses one level down. */
  nested: PageFile;
  assets: ReadonlyMap<string, PageFile>;
};

export const hashOf = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 22);

/** What a browser transfers for each file with the best compression, in bytes, by name. */
export function transferSizes({ document, assets }: Page): Record<string, number> {
  const smallest = ({ bodies }: PageFile) =>
    Math.min(...ENCODINGS.flatMap((encoding) => bodies[encoding]?.size ?? []));
  const files = [["index.html", document] as const, ...assets];
  return Object.fromEntries(files.map(([name, file]) => [name, smallest(file)]));
}
