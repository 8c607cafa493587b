export { type LiveRun, lightsOf, type NodeTask, noRun, startedTask, tasksOf } from "./live-run.ts";
export { isUnderWay, useLiveRun } from "./use-live-run.ts";
