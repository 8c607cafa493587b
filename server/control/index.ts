export { createControl } from "./control.ts";
export { type Gateway, gatewayRoutes } from "./gateway/index.ts";
export { UPLOAD_BYTES } from "./routes/index.ts";
export type * from "./wire/index.ts";
