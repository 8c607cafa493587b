export { ownCode } from "./own-code.ts";
export { projectAt, serveExecutor } from "./serve.ts";
