import type { Change } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import { callOf, type Operation, operation, sse, workspaceOf } from "../../http/index.ts";
import { shownDeployment, shownRevision } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { framesOf, LAST_SEEN, lastSeen } from "./followers.ts";

type Deps = Pick<ControlRoutesDeps, "changes" | "changeTail" | "deployments" | "revisions" | "settings">;

/** How many are read at once. */
const PAGE = 100;

/** `/v1/changes`: what becomes different about deployments and revisions, as it does. */
export const changeRoutes = (deps: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/changes",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Changes",
      summary: "Follow changes",
      description:
        "Server-sent events of the workspace: `deployment` and `revision` with its state after that change, `deleted` with the id of a deployment. Without `since` and `Last-Event-ID`, the stream begins with the next change. With one of them, it begins after that change. Berth keeps changes for seven days.",
      query: Type.Object({
        since: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      }),
      headers: LAST_SEEN,
      answers: { 200: { description: "The changes", mediaType: "text/event-stream" } },
    },
    async (input) => {
      const workspaceId = workspaceOf(input.caller);
      const since = lastSeen(input.request) ?? input.query.since ?? (await deps.changes.newest());
      const { admit } = callOf(input.request);
      const read = pageOf(deps, workspaceId);
      return sse(input, (abort) => framesOf(deps.changeTail, { since, abort, admit }, read));
    },
  ),
];

/** Reads a page of a workspace's changes. */
const pageOf = (deps: Deps, workspaceId: string) => async (after: number) => {
  const changes = await deps.changes.after(workspaceId, after, PAGE);
  const told = changes.map(async (change) => ({ seq: change.seq, text: await frameOf(deps, change) }));
  const items = await Promise.all(told);
  return { items, upTo: changes.at(-1)?.seq ?? after, isAll: changes.length < PAGE };
};

/**
 * A change of an older Berth has no state: what it is about is told as it is by now, and nothing of what is gone, since
 * the change that tells so comes after it.
 */
async function frameOf({ deployments, revisions, settings }: Deps, change: Change): Promise<string> {
  const { deployment_id, revision_id } = change;
  if (change.kind === "deleted") return changeFrame(change, { id: deployment_id });
  if (change.kind === "deployment") {
    const deployment = change.state ?? (await deployments.find(deployment_id));
    return deployment ? changeFrame(change, shownDeployment(deployment, settings.publicUrl())) : "";
  }
  const revision = change.state ?? (await revisions.find(revision_id ?? ""));
  return revision ? changeFrame(change, shownRevision(revision)) : "";
}

/** One event of the change feed; `resource` is what it was after that change. */
const changeFrame = ({ seq, kind }: Change, resource: unknown): string =>
  `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(resource)}\n\n`;
