export { type Embedder, type IndexWish, vectorOf, vectorsOf } from "./embedder.ts";
export { NearestItems } from "./nearest-items.ts";
export { VectorIndex } from "./vector-index.ts";
export { removeVectors, replaceVectors } from "./vector-rows.ts";
