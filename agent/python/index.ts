export { errorOf, PythonProjectFault, WorkerLost } from "./faults.ts";
export { pythonOf } from "./interpreter.ts";
export { PROTOCOL, type PythonFault, type WorkerNote } from "./messages.ts";
export { type JobSide, PythonWorker } from "./worker.ts";
