export { type Action, useAction } from "./action.ts";
export { type AddressQuery, changedQuery, useAddressQuery } from "./address-query.ts";
export { useElsewhere } from "./elsewhere.ts";
export { type LiveKind, useLive } from "./live.ts";
export { type Pages, usePages } from "./pages.ts";
export { type Project, type ProjectChoice, useOwnProject, useProject, useProjectChoices } from "./project.ts";
export { api, RequestFailed, reasonOf } from "./request.ts";
export { type Resource, type ResourceOptions, useResource, useResources } from "./resource.ts";
export { SignedIn, useHasKeys, useIsOperator } from "./signed-in.ts";
export {
  chooseWorkspace,
  startInWorkspace,
  tenantHeaders,
  useWorkspace,
  type Workspace,
} from "./workspace.ts";
