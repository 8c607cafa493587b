export { Bodies } from "./bodies.ts";
export { answerTo, Calls } from "./calls.ts";
export { type CodeAnswers, codeAnswers } from "./code-answers.ts";
export { Executors, type ExecutorsDeps } from "./executors.ts";
export { faultText } from "./faults.ts";
export { giveMemoryBack } from "./give-back.ts";
export { remoteItems } from "./items.ts";
export { MessageBatch } from "./message-batch.ts";
export type { CodeWork, House, ProjectCode } from "./project-code.ts";
export type {
  ExecutorOpening,
  FromExecutor,
  Hearers,
  LoadedFacts,
  Outcome,
  Port,
  ProjectOrigin,
  ToExecutor,
  Wish,
  WorkPlace,
} from "./protocol.ts";
export { assertProtocol, PROTOCOL_VERSION } from "./protocol-version.ts";
export { remoteReader } from "./reads.ts";
export { RemoteCode } from "./remote-code.ts";
export type { Spawned } from "./remote-executor.ts";
export { TakenRequests } from "./requests.ts";
