export { Door } from "./door.ts";
export { front } from "./front.ts";
export { createGuard } from "./guard.ts";
export { LastRequest } from "./last-request.ts";
