import type { Instance } from "@berth/store";
import type { EngineName } from "../../../machine/index.ts";
import type { Texts } from "../../../settings/index.ts";
import { ContainerDriver, type ContainerDriverDeps } from "./container-driver.ts";
import { ContainerLogs, type ContainerLogsDeps, EngineLogs } from "./container-logs.ts";
import { Engines } from "./engines.ts";
import { ContainerImages, type ContainerImagesDeps } from "./images.ts";

export { ContainerLogs, type ContainerLogsDeps, type LogSource } from "./container-logs.ts";
export { containerEnvironment } from "./environment.ts";
export { readReference } from "./reference.ts";

export type ContainersDeps = Omit<ContainerDriverDeps, "engines" | "logs"> &
  Omit<ContainerLogsDeps, "sourceOf"> &
  Omit<ContainerImagesDeps, "engines"> & {
    engine: "auto" | EngineName;
    /** Berth's own environment. */
    environment: Texts;
  };

export type Containers = { driver: ContainerDriver; images: ContainerImages; logs: ContainerLogs };

/** What runs images on this machine. The engine is looked for when there is the first one to run. */
export function createContainers(deps: ContainersDeps): Containers {
  const engines = new Engines(deps.engine, deps.environment);
  const source = new EngineLogs(engines);
  const sourceOf = (instance: Instance) => (isContainer(instance) ? source : undefined);
  const logs = new ContainerLogs({ ...deps, sourceOf });
  return {
    driver: new ContainerDriver({ ...deps, engines, logs }),
    images: new ContainerImages({ ...deps, engines }),
    logs,
  };
}

const isContainer = ({ driver }: Pick<Instance, "driver">): boolean => driver === "container";
