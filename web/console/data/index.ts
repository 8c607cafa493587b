export { type Action, useAction } from "./action.ts";
export { type AddressQuery, changedQuery, useAddressQuery } from "./address-query.ts";
export { useElsewhere } from "./elsewhere.ts";
export { type LiveKind, useLive } from "./live.ts";
export { type Pages, usePages } from "./pages.ts";
export { OWN_PROJECT, type Project, type ProjectChoice, useProject, useProjectChoices } from "./project.ts";
export { api, RequestFailed, reasonOf } from "./request.ts";
export { type Resource, type ResourceOptions, useResource, useResources } from "./resource.ts";
export {
  chooseWorkspace,
  startInWorkspace,
  tenantHeaders,
  useWorkspace,
  type Workspace,
} from "./workspace.ts";
