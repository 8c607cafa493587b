export { spelledInterrupts, spelledPayload } from "./approvals.ts";
export { assistantId } from "./assistant-id.ts";
export type { WireCommand } from "./command.ts";
export {
  type GraphSpec,
  type ProjectConfig,
  type ProjectFile,
  readProjectFile,
  type TtlConfig,
} from "./config.ts";
export type { JsonSchema } from "./draft-07.ts";
export { missingDotenv, readEnvironment, unsetNames } from "./environment.ts";
export { inspecting, running } from "./factory-runtime.ts";
export type { FetchApp } from "./fetch-app.ts";
export {
  type Drawing,
  type Graph,
  type GraphConfig,
  type GraphUpdate,
  nodePath,
  type Saver,
  subgraphAt,
} from "./graph.ts";
export {
  type Area,
  type CorsConfig,
  type HttpConfig,
  plainHttp,
} from "./http-config.ts";
export { importFile, type LangGraphCopy } from "./langgraph-copy.ts";
export { MissingModule, packageFiles } from "./missing-module.ts";
export { appAt, type OwnApps } from "./mounted-apps.ts";
export { loadProject, loadTemplate, type Project } from "./project.ts";
export { ProjectError, reason } from "./project-error.ts";
export { pythonGraphFault } from "./python-graphs.ts";
export { type GraphSchemas, graphSchemas } from "./schemas.ts";
export { type TtlSettings, ttlSettings } from "./ttl.ts";
export type { UiConfig } from "./ui-config.ts";
export { plainWebhooks, type WebhooksConfig } from "./webhooks-config.ts";
