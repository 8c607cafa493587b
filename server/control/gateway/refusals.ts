import { NotFound } from "@berth/store";
import { json, MOVED_HEADER, TooMany } from "../../http/index.ts";
import type { Target } from "./targets.ts";

const soon = { "retry-after": "1" };
const later = { "retry-after": "5" };

/** The same for one of another workspace: nobody learns that it is there. */
export const unknownDeployment = (id: string): NotFound => new NotFound(`Deployment ID ${id} not found.`);

/** 429: a slot is free as soon as one of the open requests ends. */
export const tooManyOpen = (max: number): TooMany =>
  new TooMany(
    1,
    `The deployments of the workspace have ${max} open requests, its limit (WORKSPACE_MAX_REQUESTS)`,
  );

/** 503: no revision was ever switched to, or none is any more. */
export function nothingRuns({ latest }: Target): Response {
  const status = latest?.status ?? null;
  const detail =
    status === null
      ? "Nothing runs here: the deployment has no revision"
      : `Nothing runs here: the latest revision is ${status}`;
  return json({ detail, status, revision_id: latest?.id ?? null }, 503, later);
}

/** 503: what served is gone, and not back yet. */
export function restarting({ latest }: Target): Response {
  const detail = "The deployment is being started again";
  return json({ detail, status: latest?.status ?? null, revision_id: latest?.id ?? null }, 503, soon);
}

/** 503: there should be something, and it does not listen. */
export const unreachable = (): Response =>
  json({ detail: "The deployment's process does not answer", status: "DEPLOYED" }, 503, soon);

/** 502: the request reached the deployment, and what became of it nobody knows. */
export const brokenOff = (): Response =>
  json({ detail: "The deployment's process ended the connection before it answered" }, 502);

/** Sent to nobody: the caller has gone. Proxies know the status by this number. */
export const callerLeft = (): Response => new Response(null, { status: 499 });

/** 503: of several machines none runs the deployments at the moment, or the one that does cannot be reached. */
export const nobodyLeads = (): Response =>
  json(
    { detail: "The Berth that runs the deployments does not answer; another one takes over soon" },
    503,
    soon,
  );

/** 503: another Berth passed this on, and this one does not run the deployments any more. */
export const movedOn = (): Response =>
  json({ detail: "The deployments run elsewhere now" }, 503, { ...soon, [MOVED_HEADER]: "1" });
