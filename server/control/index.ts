export { BuildFailed, type ProjectFiles, readProject as readProjectFiles } from "./build/index.ts";
export { createControl } from "./control.ts";
export { type Gateway, gatewayRoutes } from "./gateway/index.ts";
export { BLOB_BYTES } from "./registry/index.ts";
export type * from "./wire/index.ts";
