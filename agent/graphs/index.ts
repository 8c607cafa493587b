export { GraphExecutor } from "./graph-executor.ts";
export { streamModels } from "./streamed-models.ts";
