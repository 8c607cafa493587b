import type { System } from "@berth/server";
import { Link } from "wouter";
import { Ago, bytesText, durationText, Facts, Section, StatusBadge, wordsOf } from "../ui/index.ts";

/** Below this share the disk is told to be full. */
const TIGHT = 0.1;

/** The state of the server in figures. */
export function SystemFacts({ system }: { system: System }) {
  return (
    <>
      <Section title="Process">
        <Facts items={processFacts(system)} />
      </Section>
      <Section title="Data" note={<code>{system.data.dir}</code>}>
        <Facts items={dataFacts(system)} />
        <Disk data={system.data} />
      </Section>
      <Section title="Work">
        <Facts items={workFacts(system)} />
      </Section>
    </>
  );
}

const processFacts = ({ started_at, uptime_s, memory, deployments }: System) => [
  { label: "Started", value: <Ago at={started_at} /> },
  { label: "Up for", value: durationText(uptime_s * 1000) },
  { label: "Memory", value: bytesText(memory.rss_bytes) },
  { label: "Memory of deployments", value: bytesText(memory.deployments_bytes) },
  { label: "Deployments", value: <Link href="/deployments">{deploymentWords(deployments)}</Link> },
  { label: "Instances", value: deployments.instances },
];

function deploymentWords({ total, by_status }: System["deployments"]): string {
  const others = Object.entries(by_status).filter(([status, count]) => status !== "READY" && count > 0);
  return [`${total}`, ...others.map(([status, count]) => `${count} ${wordsOf(status).toLowerCase()}`)].join(
    ", ",
  );
}

const dataFacts = ({ data, migrations }: System) => [
  { label: "Database", value: bytesText(data.database_bytes) },
  { label: "Write-ahead log", value: bytesText(data.wal_bytes) },
  { label: "File", value: <code>{data.database_file}</code> },
  { label: "Migrations", value: `${migrations.applied}, up to ${migrations.latest ?? "none"}` },
];

const workFacts = ({ queue, deliveries, subscriptions, engine }: System) => [
  { label: "Runs waiting", value: <Waiting queue={queue} /> },
  { label: "Runs at work", value: `${queue.running} of ${queue.places}` },
  { label: "Deliveries waiting", value: `${deliveries.queued}, ${deliveries.due} of them due` },
  { label: "Deliveries being sent", value: deliveries.leased },
  {
    label: "Failed deliveries",
    value: <Link href="/webhooks?tab=deliveries&state=dead">{deliveries.dead}</Link>,
  },
  {
    label: "Webhooks",
    value: (
      <Link href="/webhooks">
        {subscriptions.active} active, {subscriptions.failing} failing
      </Link>
    ),
  },
  { label: "Traces not looked at yet", value: engine.unscanned_traces },
  { label: "Last scan", value: <LastScan engine={engine} /> },
];

/** Why the first of those that could begin has not begun. */
const WHY = {
  thread: "their threads have runs",
  places: "all places are taken",
  late: "the process is busy, so it takes fewer runs at once",
  memory: "memory is short, so it takes fewer runs at once",
  standby: "this process takes up no runs",
};

function Waiting({ queue: { waiting } }: Pick<System, "queue">) {
  const { due, later, since, why } = waiting;
  const isLater = later > 0 ? ` (and ${later} that are to begin later)` : "";
  if (due === 0 || why === null || since === null)
    return (
      <>
        {due}
        {isLater}
      </>
    );
  return (
    <>
      {due}
      {isLater}, since <Ago at={since} />: {WHY[why]}
    </>
  );
}

function LastScan({ engine: { last_scan: scan } }: Pick<System, "engine">) {
  if (!scan) return <span className="never">none yet</span>;
  return (
    <span className="last-scan">
      <StatusBadge status={scan.status} />
      <Ago at={scan.started_at} />
    </span>
  );
}

function Disk({
  data: { disk_free_bytes, disk_total_bytes, database_bytes, wal_bytes },
}: Pick<System, "data">) {
  const used = disk_total_bytes - disk_free_bytes;
  const ours = Math.min(used, database_bytes + wal_bytes);
  const isTight = disk_free_bytes < TIGHT * disk_total_bytes;
  const label = `${bytesText(disk_free_bytes)} of ${bytesText(disk_total_bytes)} are free on the disk`;
  return (
    <div className="disk" data-testid="disk">
      <meter
        min={0}
        max={disk_total_bytes}
        high={disk_total_bytes * (1 - TIGHT)}
        value={used}
        aria-label={label}
      />
      <p className={isTight ? "disk-tight" : undefined}>
        {label}; this database takes {bytesText(ours)}.
      </p>
    </div>
  );
}
