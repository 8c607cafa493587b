export {
  BuildFailed,
  type ProjectFiles,
  type PythonFolders,
  pythonFolders,
  readProject as readProjectFiles,
  reportProject,
} from "./build/index.ts";
export { type Control, type ControlDeps, createControl, type DeploymentsAtStop } from "./control.ts";
export { type Gateway, gatewayRoutes } from "./gateway/index.ts";
export type * from "./wire/index.ts";
