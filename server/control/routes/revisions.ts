import { REVISION_STATUSES, type RevisionStatus } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import {
  authorOf,
  json,
  limitField,
  type Operation,
  offsetField,
  operation,
  optional,
  wordsOf,
  workspaceOf,
} from "../../http/index.ts";
import {
  RevisionsPage,
  ShownDeployment,
  ShownRevision,
  shownDeployment,
  shownRevision,
} from "../wire/index.ts";
import { RevisionBody, revisionOf } from "./deployment-requests.ts";
import { type ControlRoutesDeps, deploymentParams, revisionParams } from "./deps.ts";
import { checkArchive } from "./source-check.ts";

type Deps = Pick<
  ControlRoutesDeps,
  "deployments" | "uploads" | "archives" | "revisions" | "quotas" | "settings" | "wake"
>;

const tag = "Revisions";
const theRevision = { description: "The revision", schema: ShownRevision };
const gone = "No such deployment, or revision of it";

/** `/v2/deployments/{deployment_id}/revisions`: what a deployment was and will be (`brief.md`). */
export const revisionRoutes = (deps: Deps): Operation[] => [
  listRevisions(deps),
  createRevision(deps),
  getRevision(deps),
  redeploy(deps),
  interrupt(deps),
];

const listRevisions = ({ deployments, revisions }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/revisions",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List revisions",
      description: "Newest first.",
      params: deploymentParams,
      query: Type.Object({
        limit: limitField({ default: 20, maximum: 100 }),
        offset: offsetField(),
        status: optional(wordsOf(REVISION_STATUSES, "Only those of these statuses, separated by commas.")),
        remote_reconciled: optional(
          Type.Boolean({
            description: "Only those that a listener brings about, or only those that none does.",
          }),
        ),
      }),
      answers: { 200: { description: "The page", schema: RevisionsPage }, 404: "No such deployment" },
    },
    async ({ path, query, caller }) => {
      const { limit, offset } = query;
      const workspaceId = workspaceOf(caller);
      await deployments.get(workspaceId, path.deployment_id);
      const statuses = statusesOf(query.status);
      const filter = { statuses, remoteReconciled: query.remote_reconciled ?? undefined };
      const found = await revisions.list(workspaceId, path.deployment_id, filter, { limit, offset });
      return json({ resources: found.map(shownRevision), offset: offset + found.length });
    },
  );

const createRevision = (deps: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/revisions",
      access: controlPlane,
      bodyLimit: "process",
      tag,
      summary: "Create a revision",
      description: "Like a patch of the deployment, but it makes a revision even if nothing changes.",
      params: deploymentParams,
      body: Type.Optional(RevisionBody),
      answers: {
        201: theRevision,
        400: "Some fields do not fit each other",
        404: "No such deployment",
        409: "The workspace uses too much disk",
      },
    },
    async ({ path, body, caller }) => {
      const { deployments, quotas, wake } = deps;
      const workspaceId = workspaceOf(caller);
      await checkArchive(deps, workspaceId, path.deployment_id, body ?? {});
      const { revision } = await quotas.counted(
        deployments.patch(
          workspaceId,
          path.deployment_id,
          (before) => revisionOf(before, body ?? {}),
          authorOf(caller),
        ),
      );
      if (!revision) throw new Error("a revision was asked for, and none was made");
      wake();
      return json(shownRevision(revision), 201);
    },
  );

const getRevision = ({ revisions }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/revisions/:revision_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get a revision",
      description: "Poll it until `status` is `DEPLOYED`; if it failed, `status_message` says why.",
      params: revisionParams,
      answers: { 200: theRevision, 404: gone },
    },
    async ({ path, caller }) =>
      json(shownRevision(await revisions.get(workspaceOf(caller), path.deployment_id, path.revision_id))),
  );

const redeploy = ({ revisions, settings, wake }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/revisions/:revision_id/redeploy",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Deploy a revision again",
      description: "Without a build. With an earlier revision, this is a rollback.",
      params: revisionParams,
      answers: {
        200: { description: "The deployment", schema: ShownDeployment },
        400: "The revision was never deployed, its build is gone, or another revision is in progress",
        404: gone,
      },
    },
    async ({ path, caller }) => {
      const deployment = await revisions.redeploy(
        workspaceOf(caller),
        path.deployment_id,
        path.revision_id,
        authorOf(caller),
      );
      wake();
      return json(shownDeployment(deployment, settings.publicUrl()));
    },
  );

const interrupt = ({ revisions, wake }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/revisions/:revision_id/interrupt",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Interrupt a revision",
      description: "Stops its build or its start; the serving revision continues.",
      params: revisionParams,
      answers: { 200: theRevision, 400: "The revision has ended", 404: gone },
    },
    async ({ path, caller }) => {
      const { deployment_id, revision_id } = path;
      const revision = await revisions.requestInterrupt(workspaceOf(caller), deployment_id, revision_id);
      wake();
      return json(shownRevision(revision));
    },
  );

/** The statuses that a filter names; undefined where it names none. */
function statusesOf(text: string | null | undefined): RevisionStatus[] | undefined {
  const named = text?.split(/[ ,]+/) ?? [];
  const statuses = REVISION_STATUSES.filter((status) => named.includes(status));
  return statuses.length === 0 ? undefined : statuses;
}
