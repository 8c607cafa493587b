export { Engine, type EngineDeps, type EngineJob, type EngineSettings } from "./engine.ts";
export { openModel } from "./model.ts";
export type { AskModel } from "./writer.ts";
