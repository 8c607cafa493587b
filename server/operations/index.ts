export { checkRoom } from "./disk-room.ts";
export { createOperations } from "./operations.ts";
export type * from "./wire/index.ts";
