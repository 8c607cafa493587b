import type { Instance } from "@berth/store";
import type { EngineName } from "../../../machine/index.ts";
import type { Texts } from "../../../settings/index.ts";
import { ContainerDriver, type ContainerDriverDeps } from "./container-driver.ts";
import { ContainerLogs, type ContainerLogsDeps } from "./container-logs.ts";
import { Engines } from "./engines.ts";
import { ContainerImages, type ContainerImagesDeps } from "./images.ts";

export type ContainersDeps = Omit<ContainerDriverDeps, "engines" | "logs"> &
  Omit<ContainerLogsDeps, "engines"> &
  Omit<ContainerImagesDeps, "engines"> & {
    engine: "auto" | EngineName;
    /** Berth's own environment. */
    environment: Texts;
  };

export type Containers = { driver: ContainerDriver; images: ContainerImages; logs: ContainerLogs };

/** What runs images on this machine. The engine is looked for when there is the first one to run. */
export function createContainers(deps: ContainersDeps): Containers {
  const engines = new Engines(deps.engine, deps.environment);
  const logs = new ContainerLogs({ ...deps, engines });
  return {
    driver: new ContainerDriver({ ...deps, engines, logs }),
    images: new ContainerImages({ ...deps, engines }),
    logs,
  };
}

/** Whether an instance is a container. */
export const isContainer = ({ driver }: Pick<Instance, "driver">): boolean => driver === "container";
