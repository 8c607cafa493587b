// The data layer of both pages: what is asked for (React Query), and the server's word that it has changed.
export { type Action, useAction } from "./action.ts";
export { followEvents } from "./event-stream.ts";
export { useNotices } from "./notices.ts";
export { type Pages, usePages, usePaging } from "./pages.ts";
export { DataProvider } from "./provider.tsx";
export { type LiveKind, useLive, useRealtime } from "./realtime.ts";
export { useForget, useRefresh } from "./refresh.ts";
export { api, failureOf, RequestFailed, reasonOf } from "./request.ts";
export { keptFrom, type Resource, type ResourceOptions, useResource, useResources } from "./resource.ts";
export { useSettled } from "./settled.ts";
export {
  chooseWorkspace,
  startInWorkspace,
  tenantHeaders,
  useWorkspace,
} from "./workspace.ts";
