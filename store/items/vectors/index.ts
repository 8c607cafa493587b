export { type Embedder, type IndexWish, vectorOf, vectorsOf } from "./embedder.ts";
export { ItemEmbeddings } from "./item-embeddings.ts";
export { NearestItems } from "./nearest-items.ts";
export { removeVectors, replaceVectors } from "./vector-rows.ts";
