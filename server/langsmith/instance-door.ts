import { timingSafeEqual } from "node:crypto";
import { hashSecret, type Instances, type Sessions, Unauthenticated } from "@berth/store";
import type { RunsOwner } from "./ingest.ts";

/** A deployment by its id, of whatever workspace. */
export type DeploymentOf = (
  id: string,
) => Promise<{ id: string; name: string; workspace_id: string } | undefined>;

export type InstanceDoorDeps = {
  instances: Pick<Instances, "get">;
  deploymentOf: DeploymentOf;
  sessions: Sessions;
};

/** Where an instance that is no Berth sends its traces, in the form of the `langsmith` clients. */
export const instanceEndpoint = (instanceId: string): string => `/langsmith/instances/${instanceId}`;

/**
 * Whose traces an instance sends, by its token: they go to the project of its deployment.
 * @throws Unauthenticated
 */
export async function ownerByInstance(
  { instances, deploymentOf, sessions }: InstanceDoorDeps,
  request: Request,
  instanceId: string,
): Promise<Required<RunsOwner>> {
  const instance = await instances.get(instanceId);
  const deployment =
    instance && isToken(request, instance.token) && (await deploymentOf(instance.deployment_id));
  if (!deployment) throw new Unauthenticated("Not the token of this instance");
  const { id: deploymentId, name, workspace_id: workspaceId } = deployment;
  const [known] = await sessions.list(workspaceId, { deploymentId }, { limit: 1, offset: 0 });
  const session = known ?? (await sessions.ensure(workspaceId, name, { deploymentId }));
  return { workspaceId, place: { sessionId: session.id, revisionId: instance.revision_id } };
}

/** Berth's own processes send it as a bearer, the `langsmith` clients as a key. */
function isToken({ headers }: Request, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? headers.get("x-api-key");
  return given !== null && timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(token)));
}
