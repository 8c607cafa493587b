import { createHmac, timingSafeEqual } from "node:crypto";
import { BadRequest, type Deployment, isFinal, Unauthenticated } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { bySignature, controlPlane } from "../../access/index.ts";
import {
  BodyBudget,
  json,
  type Operation,
  operation,
  optional,
  parseInTurns,
  readText,
  validator,
  workspaceOf,
} from "../../http/index.ts";
import { ShownPushHook, TakenPush } from "../wire/index.ts";
import { type ControlRoutesDeps, deploymentParams } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "revisions" | "quotas" | "settings" | "wake">;

const tag = "Integrations";
/** A push of some thousand commits; the signature of a payload can be checked only after all of it was read. */
const MAX_PAYLOAD_BYTES = 5_242_880;
/** Payloads that are read at once: eight, two of them from one client. */
const PAYLOAD_LIMITS = { bytes: 8 * MAX_PAYLOAD_BYTES, bytesPerClient: 2 * MAX_PAYLOAD_BYTES, waitMs: 5_000 };
/** GitHub gives up after ten seconds (docs.github.com/webhooks, "Handling webhook deliveries"). */
const PAYLOAD_PACE = { graceMs: 10_000, bytesPerSecond: Number.POSITIVE_INFINITY };
const BRANCH = "refs/heads/";

/** What tells a deployment of a push to its repository. */
export const pushHookRoutes = (deps: Deps): Operation[] => [
  readHook(deps),
  renewSecret(deps),
  takePush(deps),
];

const readHook = ({ deployments, settings }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/push-hook",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get the address and secret of the push hook",
      description:
        "Copy both into the webhook settings of the repository. The content type there is JSON, and the event is `push`.",
      params: deploymentParams,
      answers: {
        200: { description: "The hook", schema: ShownPushHook },
        400: "The source is not `github`",
        404: "No such deployment",
      },
    },
    async ({ path, caller }) => {
      const { id } = await pushed(deployments, workspaceOf(caller), path.deployment_id);
      return hookAnswer(settings.publicUrl(), id, await deployments.pushSecret(id));
    },
  );

const renewSecret = ({ deployments, settings }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/push-hook/rotate",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Give the push hook a new secret",
      description: "The old one no longer works: put the new one into the repository's webhook.",
      params: deploymentParams,
      answers: {
        200: { description: "The hook", schema: ShownPushHook },
        400: "The source is not `github`",
        404: "No such deployment",
      },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { id } = await pushed(deployments, workspaceId, path.deployment_id);
      return hookAnswer(settings.publicUrl(), id, await deployments.renewPushSecret(workspaceId, id));
    },
  );

/** @throws NotFound | BadRequest nobody pushes to it */
async function pushed(
  deployments: Deps["deployments"],
  workspaceId: string,
  wanted: string,
): Promise<Deployment> {
  const deployment = await deployments.get(workspaceId, wanted);
  if (deployment.source === "github") return deployment;
  throw new BadRequest(
    `A deployment with the source ${deployment.source} has no repository, so it has no push hook`,
  );
}

const hookAnswer = (publicUrl: string, id: string, secret: string) =>
  json({ url: `${publicUrl}/v2/deployments/${id}/push-hook`, secret }, 200, { "cache-control": "no-store" });

const Push = Type.Object({
  ref: Type.String(),
  after: Type.Optional(Type.String()),
  created: optional(Type.Boolean()),
  deleted: optional(Type.Boolean()),
  repository: Type.Optional(Type.Object({ default_branch: optional(Type.String()) })),
});
type Push = Static<typeof Push>;
const push = validator(Push, "body");

function takePush(deps: Deps): Operation {
  const budget = new BodyBudget(PAYLOAD_LIMITS);
  const maxBytes = Math.min(MAX_PAYLOAD_BYTES, deps.settings.maxBodyBytes);
  return operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/push-hook",
      access: bySignature,
      bodyLimit: MAX_PAYLOAD_BYTES,
      tag,
      summary: "Report a push",
      description:
        "GitHub calls this, signed with the deployment's secret in `X-Hub-Signature-256`. A push to the branch of a deployment with `build_on_push` makes a revision; Berth accepts anything else and does nothing.",
      params: deploymentParams,
      verify: async ({ path, request }) => ({
        given: signatureOf(request),
        hooked: await hookedDeployment(deps, path.deployment_id),
      }),
      headers: {
        "X-Hub-Signature-256":
          "`sha256=` and the HMAC-SHA256 of the body with the deployment's secret, in hex.",
        "X-GitHub-Event":
          "`push`. Without the header, Berth assumes `push`. Berth accepts other events and does nothing.",
      },
      rawBody: { mediaType: "application/json", description: "The webhook's payload." },
      answers: {
        200: { description: "Berth has accepted it", schema: TakenPush },
        400: "The body is no JSON payload",
        409: "The workspace uses too much disk",
        408: "The payload did not arrive within ten seconds",
        413: `The payload has more than ${MAX_PAYLOAD_BYTES} bytes`,
        429: "Too many payloads arrive at once",
      },
    },
    async ({ request, verified: { given, hooked } }) => {
      const body = await readText(request, maxBytes, { budget, pace: PAYLOAD_PACE });
      checkSignature({ given, body, secret: hooked.secret });
      const event = request.headers.get("x-github-event") ?? "push";
      if (event !== "push") return left(`Nothing is done for the event ${event.slice(0, 100)}`);
      return pushedTo(deps, hooked.deployment, await pushIn(body));
    },
  );
}

/** Makes the revision of a push, or says why there is none. */
async function pushedTo(deps: Deps, deployment: Deployment, given: Push): Promise<Response> {
  const reason = await whyNot(deps, deployment, given);
  if (reason !== undefined) return left(reason);
  const { revision } = await deps.quotas.counted(
    deps.deployments.patch(
      deployment.workspace_id,
      deployment.id,
      { always: true },
      { key_id: null, name: "push hook" },
    ),
  );
  deps.wake();
  return json({ revision_id: revision?.id ?? null });
}

/**
 * What a request says that it is signed with, in hex. Without that nobody waits for its body.
 * @throws Unauthenticated
 */
function signatureOf({ headers }: Request): string {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(headers.get("x-hub-signature-256") ?? "")?.[1];
  if (given === undefined) throw unsigned();
  return given;
}

const left = (reason: string) => json({ revision_id: null, reason });

/**
 * A deployment and the secret of its push hook. A request for any other deployment is refused before its body is read;
 * its sender learns thereby that there is none, which the public address `/d/{deployment_id}/ok` says as well.
 * @throws Unauthenticated
 */
async function hookedDeployment({ deployments }: Pick<Deps, "deployments">, id: string) {
  const deployment = await deployments.find(id);
  if (!deployment || deployment.deleted_at !== null) throw unsigned();
  return { deployment, secret: await deployments.pushSecret(id) };
}

/** @throws Unauthenticated */
function checkSignature({ given, body, secret }: { given: string; body: string; secret: string }): void {
  const wanted = createHmac("sha256", secret).update(body).digest();
  if (!timingSafeEqual(Buffer.from(given, "hex"), wanted)) throw unsigned();
}

const unsigned = () =>
  new Unauthenticated(
    "The signature in X-Hub-Signature-256 does not fit the secret of this deployment's push hook: copy the secret into the webhook of the repository",
  );

/** @throws BadRequest */
async function pushIn(body: string): Promise<Push> {
  const read = await parseInTurns(body);
  if ("fault" in read)
    throw new BadRequest(
      "The payload is not JSON: choose application/json as the content type of the webhook",
    );
  if (!push.accepts(read.value)) throw new BadRequest("The payload is not that of a push: it has no ref");
  return read.value as Push;
}

/** Why a push makes no revision; undefined where it does. */
async function whyNot(
  { revisions }: Pick<Deps, "revisions">,
  deployment: Deployment,
  { ref, after, created, deleted, repository }: Push,
): Promise<string | undefined> {
  if (deployment.source !== "github") return `The source is ${deployment.source}`;
  if (deployment.source_config.build_on_push !== true) return "build_on_push is off";
  if (!ref.startsWith(BRANCH)) return `${ref} is no branch`;
  if (created === true || deleted === true) return "The branch was created or deleted, not pushed to";
  const branch = deployment.config.repo_ref ?? repository?.default_branch;
  if (ref.slice(BRANCH.length) !== branch) return `The deployment is made from ${branch ?? "another branch"}`;
  const latest = deployment.latest_revision_id
    ? await revisions.find(deployment.latest_revision_id)
    : undefined;
  const isThere = latest !== undefined && after !== undefined && latest.config.repo_commit_sha === after;
  // GitHub sends a delivery again when somebody asks for it.
  if (isThere && (latest.status === "DEPLOYED" || !isFinal(latest.status)))
    return "The latest revision is of this commit";
  return undefined;
}
