const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Of a word with its edges marked: `_tea_` has `_te`, `tea` and `ea_`. */
const GRAM = 3;

/**
 * An embedding that needs no model and no network, and gives the same text the same vector for ever: a text's
 * words and their parts are counted into places that their hashes name. Texts with the same words, or words of
 * the same stem, are near each other; it knows nothing of what words mean.
 */
export function offlineEmbedding(dims: number): (texts: string[]) => Promise<Float32Array[]> {
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
