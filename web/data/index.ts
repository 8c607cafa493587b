// The data layer of both pages: what is asked for (React Query), and the server's word that it has changed.

export { type Pages, usePages, usePaging } from "./pages.ts";
export { DataProvider } from "./provider.tsx";
export {
  followEvents,
  type LiveKind,
  type StreamEvent,
  useLive,
  useNotices,
  useRealtime,
} from "./realtime.ts";
export {
  api,
  chooseWorkspace,
  failureOf,
  RequestFailed,
  reasonOf,
  startInWorkspace,
  tenantHeaders,
  useWorkspace,
} from "./request.ts";
export {
  type FormAction,
  keptFrom,
  type Renewal,
  type Resource,
  type ResourceOptions,
  type ServerAction,
  useAction,
  useForget,
  useReading,
  useRefresh,
  useResource,
  useResources,
  useSettled,
  useSubmission,
} from "./resource.ts";
export { saveFile, saveText } from "./saved-file.ts";
