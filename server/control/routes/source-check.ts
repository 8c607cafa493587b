import { Fault } from "@berth/store";
import { BadArchive, configPathIn, lookIntoArchive, pythonMissing } from "../build/index.ts";
import type { RevisionConfigBody } from "../wire/index.ts";
import { refuse } from "./deployment-rules.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "uploads" | "archives" | "settings">;
type Asked = { source_revision_config?: RevisionConfigBody | null | undefined };

/**
 * Looks into an uploaded archive before a revision is made of it: a project that is not served here leaves none. Whatever
 * else is wrong is told by whoever looks at that.
 * @throws NotFound no such deployment in this workspace
 * @throws BadRequest its graphs are Python, and there is none here
 */
export async function checkArchive(
  deps: Deps,
  workspaceId: string,
  deploymentId: string,
  { source_revision_config: asked }: Asked,
): Promise<void> {
  const objectPath = asked?.source_tarball_path;
  if (!objectPath) return;
  const { config } = await deps.deployments.get(workspaceId, deploymentId);
  const path = asked.langgraph_config_path ?? config.langgraph_config_path;
  if (path === null) return;
  const fault = await faultOf(deps, deploymentId, { objectPath, path });
  if (fault !== undefined) refuse(fault);
}

async function faultOf(
  { uploads, archives, settings }: Deps,
  deploymentId: string,
  { objectPath, path }: { objectPath: string; path: string },
): Promise<string | undefined> {
  try {
    const file = await archives.fileOf(await uploads.at(deploymentId, objectPath));
    if (file === undefined) return undefined;
    const config = configPathIn(path);
    const fault = pythonMissing((await lookIntoArchive(file, config)).pythonParts, settings.hasPython);
    return fault && `${config}: ${fault}`;
  } catch (error) {
    if (error instanceof Fault || error instanceof BadArchive || isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
