export { type Embedder, type IndexWish, vectorOf, vectorsOf } from "./embedder.ts";
export { NearestItems } from "./nearest-items.ts";
export { removeVectors, replaceVectors, VectorIndex } from "./vector-rows.ts";
