export {
  BuildFailed,
  type ProjectFiles,
  type PythonFolders,
  pythonFolders,
  readProject as readProjectFiles,
  reportProject,
} from "./build/index.ts";
export { type Control, type ControlDeps, createControl } from "./control.ts";
export { type Gateway, gatewayRoutes } from "./gateway/index.ts";
export type { DeploymentsAtStop } from "./stop.ts";
export type * from "./wire/index.ts";
