export { openCLibrary } from "./c-library.ts";
export { isGone, OOM_SCORE, signalGroup } from "./child.ts";
export {
  ContainerEngine,
  CROSS_BUILD,
  ENGINE_NAMES,
  EngineFailed,
  type EngineName,
  type EngineProduct,
  firstThatAnswers,
  isUnknown,
  said,
  WAKE_ENGINE,
} from "./container-engine.ts";
export { EngineLogin } from "./engine-login.ts";
export { type Executable, executableOf, ownProgram, type Program } from "./executable.ts";
export { type DeploymentFolders, Folders, type InstanceFiles, readReady } from "./folders.ts";
export { holdProgram, type RunProgram } from "./held-program.ts";
export { type Isolation, prepareIsolation } from "./isolation.ts";
export { imagePlatform } from "./platform.ts";
export {
  BUILD_MARK,
  BYTES_IN_MB,
  DATA_MARK,
  DEPLOYMENT_MARK,
  dataMark,
  INSTANCE_MARK,
  isDescendant,
  isKnownOver,
  isRunning,
  MEMORY_LOOK_MS,
  memoryAbove,
  memoryOf,
  processesOf,
  processesWith,
  startTimeOf,
} from "./process-table.ts";
export { isOutlived, registerBerth, runningBerths } from "./running-berths.ts";
export { networkSettings, openNetworkSettings, surroundings } from "./surroundings.ts";
export { Trash } from "./trash.ts";
export type { Child, SpawnOrder, Users } from "./users.ts";
