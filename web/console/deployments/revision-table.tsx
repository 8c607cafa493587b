import type { Deployment, Revision } from "@berth/server";
import { History, RotateCw, ScrollText, Square } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Badge, Button } from "../../ui/index.ts";
import { api, useAction, usePages } from "../data/index.ts";
import {
  canDeployAgain,
  hasFailed,
  isUnderWay,
  originOf,
  pathOf,
  rolloutHref,
  tookMs,
} from "../deployment.tsx";
import {
  Ago,
  type Column,
  ConfirmDialog,
  Duration,
  Loading,
  Problem,
  ShowMore,
  StatusBadge,
  Table,
  useNow,
} from "../ui/index.ts";
import { WORDS } from "./words.tsx";
import "./revision-table.css";

type RevisionTableProps = { deployment: Deployment; revisions: readonly Revision[] };

/** The revisions of a deployment, newest first. */
export function RevisionTable({ deployment, revisions }: RevisionTableProps) {
  return (
    <Table
      label={WORDS.revisions}
      testId="revisions"
      columns={columnsOf(deployment)}
      rows={revisions}
      rowKey={({ id }) => id}
    />
  );
}

function columnsOf(deployment: Deployment): Column<Revision>[] {
  return [
    {
      name: WORDS.revision,
      width: "minmax(9rem, 1.2fr)",
      cell: (revision) => <RevisionName deployment={deployment} revision={revision} />,
    },
    {
      name: WORDS.state,
      width: "minmax(12rem, 2fr)",
      cell: (revision) => <RevisionState revision={revision} />,
    },
    {
      name: WORDS.createdAt,
      width: "minmax(6rem, 0.8fr)",
      cell: (revision) => (
        <span className="revision-made">
          <Ago at={revision.created_at} />
          <RevisionAuthor revision={revision} />
        </span>
      ),
    },
    { name: WORDS.duration, width: "5.5rem", align: "end", cell: (revision) => <Took revision={revision} /> },
    {
      name: WORDS.actions,
      hideName: true,
      width: "13rem",
      cell: (revision) => (
        <span className="revision-actions">
          <Link href={logsHref(deployment.id, revision)} className="button button-quiet button-small">
            <ScrollText />
            {WORDS.logs}
          </Link>
          <RevisionActions deployment={deployment} revision={revision} />
        </span>
      ),
    },
  ];
}

function RevisionName({ deployment, revision }: RevisionActionsProps) {
  return (
    <span className="revision-name">
      <span className="revision-number">
        {revision.number === 0 ? WORDS.nothingToDeployYet : `#${revision.number}`}
        {revision.id === deployment.active_revision_id && <Badge look="positive">{WORDS.serving}</Badge>}
      </span>
      <span className="revision-origin">{madeFrom(deployment, revision)}</span>
    </span>
  );
}

function RevisionState({ revision }: { revision: Revision }) {
  return (
    <span className="revision-state">
      <StatusBadge status={revision.status} />
      {revision.status_message !== null && (
        <span className={hasFailed(revision) ? "revision-reason revision-bad" : "revision-reason"}>
          {revision.status_message}
        </span>
      )}
    </span>
  );
}

/** Whose key made it; and whose went back to it, where that was another one. */
function RevisionAuthor({ revision: { created_by, deployed_by } }: { revision: Revision }) {
  if (created_by === null) return null;
  const isAnothers = deployed_by !== null && deployed_by.name !== created_by.name;
  const text = isAnothers ? WORDS.againBy(created_by.name, deployed_by.name) : created_by.name;
  return (
    <span className="revision-origin" title={WORDS.by(text)} data-testid="revision-author">
      {text}
    </span>
  );
}

/** The log that says most about a revision: how it was built, unless it runs. */
export function logsHref(deploymentId: string, { id, source, status }: Revision): string {
  const isBuilt = source === "github" || source === "internal_source";
  const ran = status === "DEPLOYED" || status === "DEPLOYING" || status === "DEPLOY_FAILED";
  return `/deployments/${deploymentId}/logs?${isBuilt && !ran ? "type=build&" : ""}revision=${id}`;
}

/** How long a revision took; it grows while it is under way. */
export function Took({ revision }: { revision: Revision }) {
  const now = useNow();
  return <Duration ms={tookMs(revision, isUnderWay(revision) ? now : 0)} />;
}

function madeFrom(
  deployment: Deployment,
  { source_revision_config: config, image_digest }: Revision,
): string {
  const digest = image_digest?.replace("sha256:", "").slice(0, 12);
  if (digest && !config.image_uri?.includes("@")) return `${originOf(deployment, config)} @ ${digest}`;
  const commit = config.repo_commit_sha?.slice(0, 7);
  return commit ? `${config.repo_ref ?? WORDS.defaultBranch} @ ${commit}` : originOf(deployment, config);
}

/** Everything that a deployment was, is, and is about to be. */
export function RevisionsTab({ deployment }: { deployment: Deployment }) {
  const path = `${pathOf(deployment.id)}/revisions`;
  const pages = usePages<Revision>(path, { live: ["deployments"] });
  const { rows, loading, error, refresh } = pages;
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading) return <Loading />;
  return (
    <>
      <RevisionTable deployment={deployment} revisions={rows} />
      <ShowMore pages={pages} />
    </>
  );
}

type RevisionActionsProps = { deployment: Deployment; revision: Revision };

/** What can be done with one revision: going back to it, starting it anew, or stopping it on its way. */
function RevisionActions({ deployment, revision }: RevisionActionsProps) {
  const isActive = revision.id === deployment.active_revision_id;
  if (isUnderWay(revision)) return <InterruptButton revision={revision} deploymentId={deployment.id} />;
  if (!canDeployAgain(revision)) return null;
  return isActive ? (
    <RestartButton revision={revision} deploymentId={deployment.id} />
  ) : (
    <RollBackButton revision={revision} deployment={deployment} />
  );
}

type ButtonProps = { revision: Revision; deploymentId: string };

/** Stops a build or a start; what serves goes on. */
export function InterruptButton({ revision: { id, number }, deploymentId }: ButtonProps) {
  const { run, busy } = useAction();
  const stop = () =>
    run(
      () => api(`${pathOf(deploymentId)}/revisions/${id}/interrupt`, { method: "POST" }),
      WORDS.revisionIsBeingStopped(number),
    );
  return (
    <Button size="small" icon={<Square />} disabled={busy} onClick={stop} data-testid="interrupt">
      {WORDS.interrupt}
    </Button>
  );
}

function RestartButton({ revision: { id }, deploymentId }: ButtonProps) {
  const redeploy = useRedeploy(deploymentId, id);
  return (
    <Button
      size="small"
      look="quiet"
      icon={<RotateCw />}
      disabled={redeploy.busy}
      onClick={redeploy.start}
      data-testid="restart"
    >
      {WORDS.restart}
    </Button>
  );
}

/** Goes back to a revision that was deployed before. */
function RollBackButton({ revision, deployment }: RevisionActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const redeploy = useRedeploy(deployment.id, revision.id);
  return (
    <>
      <Button size="small" icon={<History />} onClick={() => setOpen(true)} data-testid="roll-back">
        {WORDS.rollBack}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={WORDS.goBackToRevision(revision.number)}
          text={<p>{WORDS.rollBackNote(deployment.name, revision.number)}</p>}
          confirmText={WORDS.rollBack}
          look="primary"
          onConfirm={redeploy.start}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function useRedeploy(deploymentId: string, revisionId: string) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const start = async () => {
    const path = `${pathOf(deploymentId)}/revisions/${revisionId}/redeploy`;
    if (await run(() => api(path, { method: "POST" }))) navigate(rolloutHref(deploymentId, revisionId));
  };
  return { start, busy };
}
