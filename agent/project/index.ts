export { spelledInterrupts, spelledPayload } from "./approvals.ts";
export { assistantId } from "./assistant-id.ts";
export type { WireCommand } from "./command.ts";
export { readProjectFile } from "./config.ts";
export { applyEnvironment, missingDotenv, readEnvironment, unsetNames } from "./environment.ts";
export { inspecting, running } from "./factory-runtime.ts";
export {
  type Graph,
  type GraphConfig,
  type GraphUpdate,
  nodePath,
  type Saver,
  type SpanNote,
  subgraphAt,
} from "./graph.ts";
export { type Area, type CorsConfig, type HttpConfig, plainHttp } from "./http-config.ts";
export { importFile, type LangGraphCopy } from "./langgraph-copy.ts";
export { MissingModule, packageFiles } from "./missing-module.ts";
export { appAt, type OwnApps } from "./mounted-apps.ts";
export { loadProject, loadTemplate, type Project } from "./project.ts";
export { ProjectError, reason } from "./project-error.ts";
export { pythonParts } from "./python-parts.ts";
export { pythonFor } from "./python-project.ts";
export { viewOfPython } from "./python-saver.ts";
export { factsOf, type HttpFacts, type ProjectFacts, type ServedProject } from "./served-project.ts";
export type { StateShape } from "./state-shape.ts";
export { type TtlSettings, ttlSettings } from "./ttl.ts";
export type { TypeCache } from "./type-cache.ts";
export type { UiConfig } from "./ui-config.ts";
export { plainWebhooks, type WebhooksConfig } from "./webhooks-config.ts";
