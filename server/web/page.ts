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
 * The documents that a browser opens, by the name of their source: the chat's, the console's, the one that explains
 * the API, and the one in which the chat draws a component of a project.
 */
export const DOCUMENTS = ["index", "console", "docs", "component"] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** How many levels down an address may be at which a document is served. */
export const DEEPEST = 4;

/**
 * What a browser loads: the documents, and files under names that change with their content. Addresses in documents
 * are relative, since a deployment's chat has a path in front; so each document is there once for every level.
 */
export type WebPage = {
  documents: ReadonlyMap<DocumentName, readonly PageFile[]>;
  assets: ReadonlyMap<string, PageFile>;
};

export const hashOf = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 22);

/** What a browser transfers with the best compression, in bytes: a document and each asset, by name. */
export function transferSizes({ documents, assets }: WebPage): Record<string, number> {
  const smallest = ({ bodies }: PageFile) =>
    Math.min(...ENCODINGS.flatMap((encoding) => bodies[encoding]?.size ?? []));
  const tops = [...documents].map(([name, levels]) => [`${name}.html`, levels[0]] as const);
  return Object.fromEntries(
    [...tops, ...assets].flatMap(([name, file]) => (file ? [[name, smallest(file)]] : [])),
  );
}
