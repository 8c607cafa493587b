export { BlobFiles } from "./blob-files.ts";
export { Receiving } from "./receiving.ts";
export { createRegistry, type ImageRegistry } from "./registry.ts";
export { RegistryTokens } from "./tokens.ts";
