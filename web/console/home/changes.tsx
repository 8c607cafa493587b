import { Link } from "wouter";
import { hasFailed, originOf, SOURCE_WORDS, tookMs } from "../deployment/index.ts";
import { Ago, durationText, Section, StatusBadge, useNow } from "../ui/index.ts";
import { type ChangeOf, latestChanges, type Running } from "./overview.ts";

const MOST_SHOWN = 8;

/** What changed last. */
export function LatestChanges({ running }: { running: readonly Running[] }) {
  const changes = latestChanges(running, MOST_SHOWN);
  if (changes.length === 0) return null;
  return (
    <Section title="What changed" testId="changes">
      <ol className="changes">
        {changes.map((change) => (
          <li key={change.revision.id}>
            <Change {...change} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Change({ deployment, revision }: ChangeOf) {
  const took = tookMs(revision, useNow());
  const isServing = deployment.active_revision_id === revision.id;
  return (
    <Link href={`/deployments/${deployment.id}/revisions`} className="change" data-testid="change">
      <span className="change-name">
        {deployment.name} <span className="never">#{revision.number}</span>
      </span>
      <StatusBadge
        status={revision.status}
        {...(isServing && { words: hasFailed(revision) ? "Keeps ending" : "Serving" })}
      />
      <span className="change-origin">{madeFrom(deployment, revision)}</span>
      <span className="change-at">
        <Ago at={revision.created_at} />
        {took !== null && <span className="never">{durationText(took)}</span>}
      </span>
    </Link>
  );
}

function madeFrom(
  deployment: ChangeOf["deployment"],
  { source_revision_config: config }: ChangeOf["revision"],
) {
  const commit = config.repo_commit_sha?.slice(0, 8);
  return [SOURCE_WORDS[deployment.source], originOf(deployment, config), commit].filter(Boolean).join(" · ");
}
