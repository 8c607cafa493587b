export { ItemOperations } from "./item-operations.ts";
export { type FoundItem, type Item, Items, type ItemsSettings } from "./items.ts";
export { LateIndexing } from "./late-indexing.ts";
export { permitsItem } from "./permit.ts";
export type { Embedder } from "./vectors/index.ts";
