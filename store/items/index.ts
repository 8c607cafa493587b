export { type FoundItem, type Item, Items, type ItemsSettings } from "./items.ts";
export { ItemsStore } from "./items-store.ts";
export { LateIndexing } from "./late-indexing.ts";
export { permitsItem } from "./permit.ts";
export type { Embedder } from "./vectors/index.ts";
