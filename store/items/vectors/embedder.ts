import { BadRequest, Unavailable } from "../../errors.ts";
import type { JsonObject } from "../../json-filter.ts";

/** Turns texts into vectors that are near each other where the texts mean alike. */
export type Embedder = {
  /** Names the embedding with its dimensions: vectors of two models are never compared. */
  model: string;
  dims: number;
  /** What of a value is indexed where its put does not say: paths as `$`, `a.b`, `a[*].b`. */
  fields: string[];
  embed(texts: string[]): Promise<readonly ArrayLike<number>[]>;
};

/** What a put wants indexed: nothing, these paths, or what the embedder's `fields` say. */
export type IndexWish = false | string[] | null | undefined;

const MAX_TEXTS = 100;
/** About what the common models read; what comes behind it does not count. */
const MAX_CHARS = 24_000;

/**
 * The vectors of values, in their order, each of length one; an empty list for a value that is not indexed.
 * @throws BadRequest a value has too many texts
 * @throws Unavailable the embedding failed
 */
export async function vectorsOf(
  embedder: Embedder,
  values: { value: JsonObject; index?: IndexWish }[],
): Promise<Float32Array[][]> {
  const texts = values.map(({ value, index }) =>
    textsOf(value, index === false ? [] : (index ?? embedder.fields)),
  );
  const vectors = await embed(embedder, texts.flat());
  let next = 0;
  return texts.map(({ length }) => {
    next += length;
    return vectors.slice(next - length, next);
  });
}

/** The vector of one text. @throws Unavailable the embedding failed */
export async function vectorOf(embedder: Embedder, text: string): Promise<Float32Array> {
  const [vector] = await embed(embedder, [text.slice(0, MAX_CHARS)]);
  if (!vector) throw new Unavailable("the embedding model returned no vector");
  return vector;
}

function textsOf(value: JsonObject, paths: string[]): string[] {
  const texts = paths.flatMap((path) => textsAt(value, path)).filter((text) => text !== "");
  if (texts.length > MAX_TEXTS) throw new BadRequest(`an item can be indexed by at most ${MAX_TEXTS} texts`);
  return texts.map((text) => text.slice(0, MAX_CHARS));
}

async function embed({ embed, dims, model }: Embedder, texts: string[]): Promise<Float32Array[]> {
  if (texts.length === 0) return [];
  const found = await embed(texts).catch((cause) => {
    throw new Unavailable(`the embedding model ${model} failed`, { cause });
  });
  const right = found.length === texts.length && found.every(({ length }) => length === dims);
  if (!right)
    throw new Unavailable(
      `the embedding model ${model} did not return ${texts.length} vectors of ${dims} numbers`,
    );
  return found.map(ofLengthOne);
}

function ofLengthOne(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers);
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) squares += (vector[at] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length))
    throw new Unavailable("the embedding model returned something that is not a number");
  return length > 0 ? vector.map((number) => number / length) : vector;
}

/**
 * The texts that a path leads to in a value: `$` for all of it, `a.b` for members, `a[0]`, `a[-1]` and `a[*]` for
 * elements, `*` for every member or element, `{a,b.c}` for several paths. Text, numbers and booleans give
 * themselves, objects and arrays their JSON; what is not there gives nothing.
 */
export function textsAt(value: unknown, path: string): string[] {
  let found: unknown[] = [value];
  for (const step of stepsOf(path)) found = found.flatMap((one) => follow(one, step));
  return found.flatMap(textOf);
}

/** Braces and brackets are steps of their own, whatever dots are in them. */
function stepsOf(path: string): string[] {
  return path.match(/\{[^}]*\}|\[[^\]]*\]|[^.[\]{}]+/g) ?? [];
}

function follow(value: unknown, step: string): unknown[] {
  if (step === "$") return [value];
  if (step.startsWith("{")) {
    const paths = step.slice(1, -1).split(",");
    return paths.flatMap((path) =>
      stepsOf(path.trim()).reduce((found, next) => found.flatMap((one) => follow(one, next)), [value]),
    );
  }
  if (value === null || typeof value !== "object") return [];
  if (step === "*") return Object.values(value);
  if (step.startsWith("[")) return Array.isArray(value) ? element(value, step.slice(1, -1)) : [];
  const member = Object.entries(value).find(([name]) => name === step);
  return member && !Array.isArray(value) ? [member[1]] : [];
}

function element(list: unknown[], index: string): unknown[] {
  if (index === "*") return list;
  const at = /^-?\d+$/.test(index) ? list.at(Number(index)) : undefined;
  return at === undefined ? [] : [at];
}

function textOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}
