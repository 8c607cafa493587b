import type { Embedder } from "@berth/store";

/** Numbers that look random and are the same each time. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Gives each text a direction of its own, the same each time; the empty direction to `zero`. */
export function randomEmbedder(dims: number, changes: Partial<Embedder> = {}): Embedder {
  const vector = (text: string): number[] => {
    const random = randomNumbers(Number(Bun.hash.crc32(text)));
    return Array.from({ length: dims }, () => (text === "zero" ? 0 : random() - 0.5));
  };
  return {
    model: `random/${dims}`,
    dims,
    fields: ["text"],
    embed: async (texts) => texts.map(vector),
    ...changes,
  };
}
