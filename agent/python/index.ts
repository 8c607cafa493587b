export { errorOf, PythonProjectFault, WorkerLost } from "./faults.ts";
export { pythonOf } from "./interpreter.ts";
export type { PythonFault, WorkerNote } from "./messages.ts";
export { type JobSide, PythonWorker } from "./worker.ts";
