import { resolve } from "node:path";
import type { Embedder } from "@berth/store";
import { importFile, type Project, ProjectError, pythonParts, reason } from "./project/index.ts";
import { isRecord } from "./record.ts";

type Embed = Embedder["embed"];

const OFFLINE = "offline";
const MAX_DIMS = 16_384;
const OFFLINE_DIMS = 256;
const PROVIDER_TIMEOUT_MS = 30_000;
/** Texts in one request to a provider; ours are short. */
const PROVIDER_BATCH = 256;

/**
 * The embedding that a project's `store.index` names; undefined when it has none.
 * @throws ProjectError
 */
export async function openEmbedder({
  dir,
  config,
  pythonEmbed,
}: Pick<Project, "dir" | "config" | "pythonEmbed">): Promise<Embedder | undefined> {
  const index: unknown = config.store?.index;
  if (index === undefined || index === null) return undefined;
  if (!isRecord(index)) throw new ProjectError("store.index: must be an object");
  const { embed, fields = ["$"] } = index;
  if (typeof embed !== "string")
    throw new ProjectError(`store.index.embed: must be a string, as "${OFFLINE}"`);
  const dims = index.dims ?? (embed === OFFLINE ? OFFLINE_DIMS : undefined);
  if (!isDims(dims)) throw new ProjectError(`store.index.dims: must be a whole number from 1 to ${MAX_DIMS}`);
  if (!isTexts(fields)) throw new ProjectError("store.index.fields: must be a list of paths");
  return { model: `${embed}/${dims}`, dims, fields, embed: await embedding(embed, dims, dir, pythonEmbed) };
}

const isDims = (dims: unknown): dims is number =>
  typeof dims === "number" && Number.isInteger(dims) && dims >= 1 && dims <= MAX_DIMS;

const isTexts = (fields: unknown): fields is string[] =>
  Array.isArray(fields) && fields.every((field) => typeof field === "string");

async function embedding(
  name: string,
  dims: number,
  dir: string | null,
  python: Project["pythonEmbed"],
): Promise<Embed> {
  if (name === OFFLINE) return offlineEmbedding(dims);
  if (python && pythonParts({ store: { index: { embed: name } } }).length > 0)
    return async (texts) => vectorsIn(await python(texts));
  const [, before = "", behind = ""] = /^(.+):([^:/\\]*)$/.exec(name) ?? [];
  if (before === "openai") return openAi(behind, dims);
  // A provider is one word; a file has a folder or an ending.
  if (dir !== null && /[./\\]/.test(before)) return fromProject(resolve(dir, before), behind || "default");
  throw new ProjectError(
    `store.index.embed: must be "${OFFLINE}", "openai:MODEL" or "./file.ts:export", not ${JSON.stringify(name)}`,
  );
}

async function openAi(model: string, dims: number): Promise<Embed> {
  if (!process.env.OPENAI_API_KEY) {
    throw new ProjectError(
      `store.index.embed: openai:${model} needs OPENAI_API_KEY; "${OFFLINE}" needs none`,
    );
  }
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  const sized = model.startsWith("text-embedding-3") ? { dimensions: dims } : {};
  const embeddings = new OpenAIEmbeddings({
    ...{ model, batchSize: PROVIDER_BATCH, maxRetries: 2, timeout: PROVIDER_TIMEOUT_MS, ...sized },
  });
  return (texts) => embeddings.embedDocuments(texts);
}

/** A function of texts that gives a vector for each, or an object of LangChain's `Embeddings`. */
async function fromProject(path: string, exportName: string): Promise<Embed> {
  const where = `store.index.embed: ${path}`;
  if (!(await Bun.file(path).exists())) throw new ProjectError(`${where} does not exist`);
  const module: Record<string, unknown> = await importFile(path).catch((error) => {
    throw new ProjectError(`${where} cannot be loaded: ${reason(error)}`, { cause: error });
  });
  const exported = module[exportName];
  const found =
    isRecord(exported) && typeof exported.embedDocuments === "function"
      ? exported.embedDocuments.bind(exported)
      : exported;
  if (typeof found !== "function") {
    throw new ProjectError(`${where} has no function and no embeddings under "${exportName}"`);
  }
  return async (texts) => vectorsIn(await found(texts));
}

function vectorsIn(result: unknown): ArrayLike<number>[] {
  if (!Array.isArray(result)) throw new TypeError("the embedding gave no list of vectors");
  return result.map((vector: unknown) => {
    if (vector instanceof Float32Array) return vector;
    if (Array.isArray(vector) && vector.every((number) => typeof number === "number")) return vector;
    throw new TypeError("the embedding gave a vector that is no list of numbers");
  });
}

const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Of a word with its edges marked: `_tea_` has `_te`, `tea` and `ea_`. */
const GRAM = 3;

/**
 * An embedding that needs no model and no network, and gives the same text the same vector for ever: a text's
 * words and their parts are counted into places that their hashes name. Texts with the same words, or words of
 * the same stem, are near each other; it knows nothing of what words mean.
 */
function offlineEmbedding(dims: number): (texts: string[]) => Promise<Float32Array[]> {
  return async (texts) => texts.map((text) => embed(text, dims));
}

function embed(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const [feature, count] of featuresOf(text)) {
    const hash = hashOf(feature);
    // One bit says the sign, so that features that share a place do not add up.
    const sign = hash & 1 ? 1 : -1;
    const place = (hash >>> 1) % dims;
    vector[place] = (vector[place] ?? 0) + sign * Math.sqrt(count) * (feature.length > GRAM ? 2 : 1);
  }
  return vector;
}

function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (feature: string) => counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  for (const word of plain.match(/[\p{L}\p{N}]+/gu) ?? []) {
    const marked = `_${word}_`;
    add(marked);
    for (let at = 0; at + GRAM <= marked.length; at += 1) add(marked.slice(at, at + GRAM));
  }
  return counts;
}

function hashOf(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  // FNV's low bits follow the last characters: mix them with the high ones.
  return (hash ^ (hash >>> 15)) >>> 0;
}
