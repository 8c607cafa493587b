import type { RunFigures, System } from "@berth/server";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import { useIsOperator, useResource } from "../data/index.ts";
import { errorRate, hasFailed, originOf, SOURCE_WORDS, tookMs } from "../deployment.tsx";
import {
  Ago,
  durationText,
  Loading,
  moneyText,
  PageHead,
  Problem,
  Section,
  StatusBadge,
  useNow,
} from "../ui/index.ts";
import { Broken } from "./broken.tsx";
import { type ChangeOf, latestChanges, type RunningHere, useRunning } from "./overview.ts";
import { RunsHere } from "./runs-here.tsx";
import { WORDS } from "./words.tsx";
import "./home.css";

/** What runs, is it well, what broke, what changed, how to go back. */
export function HomeScreen() {
  const { running, total, loading, error, refresh } = useRunning();
  return (
    <>
      <PageHead
        title={WORDS.overview}
        actions={
          <Link href="/deployments/new" className="button button-primary">
            <Plus />
            {WORDS.newDeployment}
          </Link>
        }
      />
      {error ? (
        <Problem error={error} retry={refresh} />
      ) : loading ? (
        <Loading />
      ) : (
        <>
          <VitalSigns />
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

/** What the runs wait for that have not begun. */
const WAITS_FOR = {
  nothing: "",
  thread: WORDS.waitsForThread,
  places: WORDS.waitsForSlot,
  late: WORDS.waitsForServer,
  memory: WORDS.waitsForMemory,
  standby: WORDS.waitsForProcess,
};
const SOON_MS = 10_000;

/** Whether all of it is well, in a handful of numbers: of every project, served here, deployed or elsewhere. */
function VitalSigns() {
  const figures = useResource<RunFigures>("/v1/figures?range=1h", {
    everyMs: SOON_MS,
    live: ["traces"],
  }).data;
  const path = useIsOperator() ? "/v1/system" : null;
  const system = useResource<System>(path, { live: ["system", "runs"] }).data;
  return (
    <dl className="vitals" data-testid="vitals">
      {figures && <RunVitals figures={figures} />}
      {system && (
        <>
          <Vital label={WORDS.waitingHere} href="/runs" isBad={system.queue.pending >= LONG_QUEUE}>
            {system.queue.pending} <small>{WAITS_FOR[system.queue.waiting.why ?? "nothing"]}</small>
          </Vital>
          <Vital
            label={WORDS.failedDeliveries}
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

function RunVitals({ figures: { running, total } }: { figures: RunFigures }) {
  const runs = total.runs ?? 0;
  const { latency_ms: latency, unpriced_models: unpriced } = total;
  return (
    <>
      <Vital label={WORDS.runningNow} href="/runs?session_id=all&status=pending">
        {running.toLocaleString()}
      </Vital>
      <Vital label={WORDS.runsLastHour} href="/figures?range=1h">
        {runs.toLocaleString()}
      </Vital>
      <Vital label={WORDS.failed} href="/runs?session_id=all&status=error&since=1h" isBad={total.errors > 0}>
        {total.errors.toLocaleString()} <small>{errorRate({ requests: runs, errors: total.errors })}</small>
      </Vital>
      <Vital label={WORDS.p95Latency} href="/figures?range=1h">
        {latency === null ? "–" : durationText(latency.p95)}
      </Vital>
      <Vital label={WORDS.costLastHour} href="/figures?range=1h&by=model">
        {moneyText(total.cost)} {unpriced.length > 0 && <small>{WORDS.andUnknownPrices}</small>}
      </Vital>
    </>
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
    <Section title={WORDS.whatChanged} testId="changes">
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
        {deployment.name} {revision.number > 0 && <span className="never">#{revision.number}</span>}
      </span>
      <StatusBadge
        status={revision.status}
        {...(isServing && { words: hasFailed(revision) ? WORDS.keepsCrashing : WORDS.serving })}
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
