import { type Instance, NotFound, type Revision, readPushedImage } from "@berth/store";
import { controlPlane } from "../../access/index.ts";
import { json, type Operation, operation, workspaceOf } from "../../http/index.ts";
import { clusterOf } from "../run/index.ts";
import { InstancesList, type LiveInstance, shownInstance } from "../wire/index.ts";
import { type ControlRoutesDeps, deploymentParams } from "./deps.ts";

type Deps = Pick<
  ControlRoutesDeps,
  "deployments" | "revisions" | "instances" | "listeners" | "registry" | "isHere"
>;

/** `/v2/deployments/{deployment_id}/instances`: what runs of a deployment, and where. */
export const instanceRoutes = (deps: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/instances",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Deployments",
      summary: "List the instances of a deployment",
      description: "The processes, containers or workloads of a cluster that run it now: at most 100.",
      params: deploymentParams,
      answers: {
        200: { description: "The instances", schema: InstancesList },
        404: "No such deployment",
      },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { id } = await deps.deployments.get(workspaceId, path.deployment_id);
      const live = (await deps.instances.ofDeployment(id)).filter(isLive);
      const revisions = await byId(live, deps);
      const resources = live.map(async (instance) => {
        const revision = revisions.get(instance.revision_id);
        return shownInstance(instance, {
          revision,
          place: await placeText(deps, workspaceId, instance),
          imageBytes: revision === undefined ? null : await imageBytes(deps, revision),
        });
      });
      return json({ resources: await Promise.all(resources) });
    },
  ),
];

const isLive = (instance: Instance): instance is LiveInstance => instance.state !== "gone";

/** The revisions that they run: hardly ever more than two. */
async function byId(instances: readonly Instance[], { revisions }: Deps): Promise<Map<string, Revision>> {
  const ids = [...new Set(instances.map(({ revision_id }) => revision_id))];
  const found = await Promise.all(ids.map((id) => revisions.find(id)));
  return new Map(found.flatMap((revision) => (revision ? [[revision.id, revision]] : [])));
}

async function placeText(
  { listeners, isHere }: Deps,
  workspaceId: string,
  instance: Instance,
): Promise<string> {
  if (instance.driver !== "kubernetes") {
    const what = instance.driver === "process" ? "A process" : "A container";
    // Before it has been started, nobody knows which machine takes it.
    if (instance.pid === null && instance.container === null) return what;
    return `${what} ${isHere(instance) ? "here" : "on another machine"}`;
  }
  const at = clusterOf(instance);
  if (at === undefined) return "A cluster";
  try {
    const { compute_id } = await listeners.get(workspaceId, at.listenerId);
    return `The cluster ${compute_id}, namespace ${at.namespace}`;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return `A cluster that is no longer known, namespace ${at.namespace}`;
  }
}

/** How large the image of a revision is; null where another registry has it. */
async function imageBytes({ registry }: Deps, { config, deployment_id }: Revision): Promise<number | null> {
  const pushed = config.image_uri === null ? undefined : readPushedImage(config.image_uri);
  if (pushed?.deploymentId !== deployment_id) return null;
  const reference = config.image_digest ?? pushed.reference;
  return (await registry.images.look({ ...pushed, reference }))?.bytes ?? null;
}
