import { type Clock, type Database, DeploymentDatabases, LacksRights, type SecretBox } from "@berth/store";
import type { Settings } from "../settings/index.ts";
import { isShared } from "./files/index.ts";
import type { Parts } from "./reconcile/index.ts";
import { StartFailed } from "./run/index.ts";

type DatabasesDeps = {
  db: Database;
  clock: Clock;
  box: SecretBox;
  settings: Pick<Settings, "databaseFile" | "databaseUrl" | "control">;
};

/** Makes, fences and removes the databases of deployments; undefined where each has a file. */
export function openDatabases({ db, clock, box, settings }: DatabasesDeps) {
  const wanted = isShared(settings) && settings.control.deploymentDatabases === "server";
  return wanted ? new DeploymentDatabases(db, clock, box, settings.databaseUrl) : undefined;
}

/** The databases of deployments as the reconciler needs them. */
export function databaseParts(
  databases: DeploymentDatabases | undefined,
): Pick<Parts, "databaseOf" | "removeDatabase"> {
  if (!databases) return {};
  return {
    databaseOf: (id) =>
      databases.of(id).catch((error) => {
        throw error instanceof LacksRights ? new StartFailed(error.message, { cause: error }) : error;
      }),
    removeDatabase: (id) => databases.remove(id),
  };
}
