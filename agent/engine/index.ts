export { Engine, type EngineDeps } from "./engine.ts";
export { openModel } from "./model.ts";
