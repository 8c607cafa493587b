import type { Deployment, Revision, RevisionsPage } from "@berth/server";
import { Check, CircleAlert, CircleDashed, LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import { useAddressQuery, useResource } from "../data/index.ts";
import {
  chatHref,
  hasFailed,
  hasServed,
  isUnderWay,
  keepsEnding,
  pathOf,
  useRevision,
} from "../deployment.tsx";
import { Section, StatusBadge } from "../ui/index.ts";
import { LogLines, useLog } from "./logs/index.ts";
import { InterruptButton, logsHref, Took } from "./revision-table.tsx";
import { WORDS } from "./words.tsx";
import "./rollout.css";

/** How a revision comes to serve, step by step, with what is said meanwhile. */
export function Rollout({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const steps = stepsOf(revision);
  return (
    <Section
      title={revision.number === 0 ? WORDS.nothingToDeployYet : WORDS.revisionNumber(revision.number)}
      testId="rollout"
      note={
        <span className="rollout-note">
          <StatusBadge
            status={revision.status}
            {...(keepsEnding(revision, deployment) && { words: WORDS.keepsCrashing })}
          />
          <Took revision={revision} />
        </span>
      }
      actions={
        isUnderWay(revision) ? (
          <InterruptButton revision={revision} deploymentId={deployment.id} />
        ) : (
          <Link href={logsHref(deployment.id, revision)} className="button button-plain button-small">
            {WORDS.logs}
          </Link>
        )
      }
    >
      <div className="rollout">
        <ol className="rollout-steps" aria-label={WORDS.steps}>
          {steps.map((step) => (
            <StepItem key={step.label} step={step} />
          ))}
        </ol>
        <Outcome deployment={deployment} revision={revision} />
        <RolloutLog deployment={deployment} revision={revision} />
      </div>
    </Section>
  );
}

const ICONS = { done: Check, current: LoaderCircle, failed: CircleAlert, ahead: CircleDashed };
const STATE_WORDS = { done: "done", current: WORDS.underWay, failed: "failed", ahead: WORDS.notYet };

function StepItem({ step: { label, state } }: { step: Step }) {
  const Icon = ICONS[state];
  return (
    <li
      className={classes("rollout-step", `rollout-step-${state}`)}
      aria-current={state === "current" ? "step" : undefined}
    >
      <Icon aria-hidden="true" className={state === "current" ? "status-badge-turns" : undefined} />
      {label}
      <span className="visually-hidden">, {STATE_WORDS[state]}</span>
    </li>
  );
}

/** What came of it, once there is something to say. */
function Outcome({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const { active_revision_id: activeId } = deployment;
  const chat = chatHref(deployment);
  if (revision.status === "DEPLOYED" && revision.id === activeId)
    return (
      <p className="outcome outcome-good" role="status" data-testid="serves">
        {WORDS.itIsServingNow(chat && <a href={chat}>{WORDS.talkToIt}</a>)}
      </p>
    );
  if (hasFailed(revision))
    return (
      <div className="outcome outcome-bad" role="alert" data-testid="rollout-failed">
        <pre>{revision.status_message ?? WORDS.noReasonWasGiven}</pre>
        <p>{whatServes(deployment, revision)}</p>
      </div>
    );
  if (revision.status === "QUEUED")
    return <p className="outcome">{revision.status_message ?? waitsFor(deployment)}</p>;
  return revision.status_message === null ? null : <p className="outcome">{revision.status_message}</p>;
}

function whatServes(deployment: Deployment, revision: Revision): string {
  if (deployment.active_revision_id === null) return WORDS.nothingIsServingYet;
  if (keepsEnding(revision, deployment)) return WORDS.servesWhileUp;
  return WORDS.beforeKeepsServing;
}

function waitsFor({ source }: Deployment): string {
  if (source === "internal_source") return WORDS.waitsForArchive;
  if (source === "internal_docker" || source === "external_docker") return WORDS.waitsForImage;
  return WORDS.waitsForTurn;
}

function RolloutLog({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const isBuilt = revision.source === "github" || revision.source === "internal_source";
  const isStarting = ["AWAITING_DEPLOY", "DEPLOYING", "DEPLOY_FAILED"].includes(revision.status);
  const type = isBuilt && !isStarting ? "build" : "deploy";
  const log = useLog({ deploymentId: deployment.id, revisionId: revision.id, type, query: "", level: "" });
  if (log.lines.length === 0 && !isUnderWay(revision)) return null;
  return (
    <LogLines
      log={log}
      look="low"
      label={type === "build" ? WORDS.buildLog : WORDS.runTimeLog}
      empty={WORDS.noOutputYet}
    />
  );
}

type Step = { label: string; state: "done" | "current" | "failed" | "ahead" };

/** The statuses in which a revision is at each step. */
const PREPARE = ["CREATING", "QUEUED", "CREATE_FAILED"];
const BUILD = ["AWAITING_BUILD", "BUILDING", "BUILD_FAILED"];
const START = ["AWAITING_DEPLOY", "DEPLOYING", "DEPLOY_FAILED"];

/** The way of a revision to serving, and how far it has come. */
export function stepsOf(revision: Pick<Revision, "status" | "source" | "began_at" | "deployed_at">): Step[] {
  const { status, source } = revision;
  const isBuilt = source === "github" || source === "internal_source";
  const steps = [
    { label: WORDS.prepare, statuses: PREPARE },
    ...(isBuilt ? [{ label: WORDS.build, statuses: BUILD }] : []),
    { label: WORDS.start, statuses: START },
    { label: WORDS.serve, statuses: [] as string[] },
  ];
  const reached = steps.findIndex(({ statuses }) => statuses.includes(status));
  const failedLater = status === "DEPLOY_FAILED" && hasServed(revision);
  const at = status === "DEPLOYED" ? steps.length : failedLater ? steps.length - 1 : reached;
  return steps.map(({ label }, index) => {
    if (index < at) return { label, state: "done" };
    if (index > at || at < 0) return { label, state: "ahead" };
    return { label, state: hasFailed(revision) ? "failed" : "current" };
  });
}

const WORKED_ON = "CREATING,AWAITING_BUILD,BUILDING,AWAITING_DEPLOY,DEPLOYING";

/**
 * The revision that deserves a look: the one under way, what became of one while somebody watched, or the newest
 * or the one that serves when it failed.
 */
export function useRollout({ id, latest_revision_id, active_revision_id }: Deployment): Revision | undefined {
  const path = `${pathOf(id)}/revisions?limit=1&status=${WORKED_ON}`;
  const { data } = useResource<RevisionsPage>(path, { live: ["deployments"] });
  const underWay = data?.resources[0]?.id;
  const watched = useWatched(underWay, active_revision_id);
  const seen = useRevision(id, underWay ?? watched ?? null);
  const latest = useRevision(id, latest_revision_id);
  const active = useRevision(id, active_revision_id);
  if (seen && seen.id === underWay) return seen;
  const isShown = seen && (seen.id === active_revision_id || seen.id === latest_revision_id);
  const isTold =
    latest && (hasFailed(latest) || latest.status === "QUEUED" || latest.status === "INTERRUPTED");
  // What was watched may be over, and a newer one have failed before anybody saw it under way.
  if (isShown && !(isTold && latest.number > seen.number)) return seen;
  if (isTold) return latest;
  // It ends again and again.
  return active && hasFailed(active) ? active : undefined;
}

/**
 * The revision whose way is followed here: the last that the address named, because it was asked for on this page, that
 * came to serve meanwhile, or that was seen under way. It may take less time than asking how it is.
 */
function useWatched(underWay: string | undefined, active: string | null): string | undefined {
  const asked = useAddressQuery().get("revision");
  const [first] = useState(active);
  const [watched, setWatched] = useState<string>();
  useEffect(() => setWatched(asked || undefined), [asked]);
  useEffect(() => {
    if (active !== null && active !== first) setWatched(active);
  }, [active, first]);
  useEffect(() => {
    if (underWay !== undefined) setWatched(underWay);
  }, [underWay]);
  return watched;
}
