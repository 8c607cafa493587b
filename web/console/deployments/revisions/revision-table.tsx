import type { Deployment, Revision } from "@berth/server";
import { ScrollText } from "lucide-react";
import { Link } from "wouter";
import { Badge } from "../../../ui/index.ts";
import { usePages } from "../../data/index.ts";
import { hasFailed, isUnderWay, originOf, pathOf, tookMs } from "../../deployment/index.ts";
import {
  Ago,
  type Column,
  Duration,
  Loading,
  Problem,
  ShowMore,
  StatusBadge,
  Table,
  useNow,
} from "../../ui/index.ts";
import { RevisionActions } from "./revision-actions.tsx";
import "./revision-table.css";

type RevisionTableProps = { deployment: Deployment; revisions: readonly Revision[] };

/** The revisions of a deployment, newest first. */
export function RevisionTable({ deployment, revisions }: RevisionTableProps) {
  return (
    <Table
      label="Revisions"
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
      name: "Revision",
      width: "minmax(9rem, 1.2fr)",
      cell: (revision) => (
        <span className="revision-name">
          <span className="revision-number">
            #{revision.number}
            {revision.id === deployment.active_revision_id && <Badge look="positive">Serving</Badge>}
          </span>
          <span className="revision-origin">{madeFrom(deployment, revision)}</span>
        </span>
      ),
    },
    {
      name: "State",
      width: "minmax(12rem, 2fr)",
      cell: (revision) => (
        <span className="revision-state">
          <StatusBadge status={revision.status} />
          {revision.status_message !== null && (
            <span className={hasFailed(revision) ? "revision-reason revision-bad" : "revision-reason"}>
              {revision.status_message}
            </span>
          )}
        </span>
      ),
    },
    {
      name: "Made",
      width: "minmax(6rem, 0.8fr)",
      cell: (revision) => (
        <span className="revision-made">
          <Ago at={revision.created_at} />
          <RevisionAuthor revision={revision} />
        </span>
      ),
    },
    { name: "Took", width: "5.5rem", align: "end", cell: (revision) => <Took revision={revision} /> },
    {
      name: "Actions",
      hideName: true,
      width: "13rem",
      cell: (revision) => (
        <span className="revision-actions">
          <Link href={logsHref(deployment.id, revision)} className="button button-quiet button-small">
            <ScrollText />
            Logs
          </Link>
          <RevisionActions deployment={deployment} revision={revision} />
        </span>
      ),
    },
  ];
}

/** Whose key made it; and whose went back to it, where that was another one. */
function RevisionAuthor({ revision: { created_by, deployed_by } }: { revision: Revision }) {
  if (created_by === null) return null;
  const isAnothers = deployed_by !== null && deployed_by.name !== created_by.name;
  const text = isAnothers ? `${created_by.name}, again by ${deployed_by.name}` : created_by.name;
  return (
    <span className="revision-origin" title={`By ${text}`} data-testid="revision-author">
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
  return commit ? `${config.repo_ref ?? "default branch"} @ ${commit}` : originOf(deployment, config);
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
