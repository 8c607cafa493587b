export { openEmbedder } from "./embeddings.ts";
