import { basename } from "node:path";
import type { ReadDeployment } from "./answer.ts";
import { NAMES, setting } from "./connection.ts";
import { type DeploymentCalls, meant } from "./deployments.ts";
import { normalName } from "./project.ts";
import type { DeploySession, TargetFlags } from "./session.ts";

export type DeployTarget = TargetFlags & { deployment?: string | undefined };

/**
 * The deployment that a command is about: the one named behind it, by an option, by the setting, or else that
 * of the project's folder.
 */
export async function targetOf(
  flags: DeployTarget,
  deployments: DeploymentCalls,
  { sources, folder }: Pick<DeploySession, "sources" | "folder">,
): Promise<ReadDeployment> {
  const id = flags["deployment-id"];
  if (id !== undefined) return meant(deployments, id);
  const name = flags.deployment ?? flags.name ?? setting(NAMES.deployment, sources);
  if (name === undefined) return meant(deployments, normalName(basename(folder)));
  const normal = normalName(name);
  // As it was made through the API, or as these commands would have called it.
  return (normal === name ? undefined : await deployments.named(name)) ?? meant(deployments, normal);
}
