import type { System } from "@berth/server";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import { useIsOperator, useResource } from "../data/index.ts";
import { errorRate, hasFailed, originOf, SOURCE_WORDS, tookMs } from "../deployment.tsx";
import { Ago, durationText, Loading, PageHead, Problem, Section, StatusBadge, useNow } from "../ui/index.ts";
import { Broken } from "./broken.tsx";
import { type ChangeOf, latestChanges, type RunningHere, totalOf, useRunning } from "./overview.ts";
import { RunsHere } from "./runs-here.tsx";
import "./home.css";

/** What runs, is it well, what broke, what changed, how to go back. */
export function HomeScreen() {
  const { running, total, loading, error, refresh } = useRunning();
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <Link href="/deployments/new" className="button button-primary">
            <Plus />
            New deployment
          </Link>
        }
      />
      {error ? (
        <Problem error={error} retry={refresh} />
      ) : loading ? (
        <Loading />
      ) : (
        <>
          <VitalSigns running={running} />
          <RunsHere running={running} total={total} />
          <div className="home-columns">
            <Broken running={running} />
            <LatestChanges running={running} />
          </div>
        </>
      )}
    </>
  );
}

/** From so many waiting runs on, a queue is worth a look. */
const LONG_QUEUE = 20;

/** Whether all of it is well, in a handful of numbers. */
function VitalSigns({ running }: { running: readonly RunningHere[] }) {
  const path = useIsOperator() ? "/v1/system" : null;
  const system = useResource<System>(path, { live: ["system", "runs"] }).data;
  const total = totalOf(running);
  return (
    <dl className="vitals" data-testid="vitals">
      <Vital label="Requests, last hour" href="/deployments">
        {total.requests.toLocaleString()}
      </Vital>
      <Vital label="Errors" href="/deployments" isBad={total.errors > 0}>
        {errorRate(total)}
      </Vital>
      <Vital label="p95, slowest minute" href="/deployments">
        {total.p95_ms === null ? "–" : durationText(total.p95_ms)}
      </Vital>
      {system && (
        <>
          <Vital label="Runs waiting" href="/system" isBad={system.queue.pending >= LONG_QUEUE}>
            {system.queue.pending}
          </Vital>
          <Vital label="Runs at work" href="/runs">
            {system.queue.running} <small>of {system.queue.places}</small>
          </Vital>
          <Vital
            label="Deliveries given up"
            href="/webhooks?tab=deliveries&state=dead"
            isBad={system.deliveries.dead > 0}
          >
            {system.deliveries.dead}
          </Vital>
        </>
      )}
    </dl>
  );
}

type VitalProps = { label: string; href: string; isBad?: boolean; children: ReactNode };

function Vital({ label, href, isBad = false, children }: VitalProps) {
  return (
    <div className={classes("vital", isBad && "vital-bad")}>
      <dt>
        <Link href={href}>{label}</Link>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

const MOST_SHOWN = 8;

/** What changed last. */
function LatestChanges({ running }: { running: readonly RunningHere[] }) {
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
