export { createOperations, type Operations } from "./operations.ts";
export type * from "./wire/index.ts";
