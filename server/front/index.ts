export { Door } from "./door.ts";
export { front } from "./front.ts";
export { createGuard } from "./guard.ts";
