import type { System } from "@berth/server";
import { Link } from "wouter";
import { Ago, bytesText, durationText, Facts, Section, StatusBadge, wordsOf } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** Below this share the disk is told to be full. */
const TIGHT = 0.1;

/** The state of the server in figures. */
export function SystemFacts({ system }: { system: System }) {
  return (
    <>
      <Section title={WORDS.process}>
        <Facts items={processFacts(system)} />
      </Section>
      <Section title={WORDS.data} note={<code>{system.data.dir}</code>}>
        <Facts items={dataFacts(system)} />
        <Disk data={system.data} />
      </Section>
      {system.backup && (
        <Section title={WORDS.backups} note={<code>{system.backup.place}</code>} testId="backups">
          <Facts items={backupFacts(system.backup)} />
        </Section>
      )}
      <Section title={WORDS.work}>
        <Facts items={workFacts(system)} />
      </Section>
    </>
  );
}

const processFacts = ({ started_at, uptime_s, memory, deployments }: System) => [
  { label: WORDS.started, value: <Ago at={started_at} /> },
  { label: WORDS.upFor, value: durationText(uptime_s * 1000) },
  { label: WORDS.memory, value: bytesText(memory.rss_bytes) },
  { label: WORDS.memoryOfDeployments, value: bytesText(memory.deployments_bytes) },
  { label: WORDS.deployments, value: <Link href="/deployments">{deploymentWords(deployments)}</Link> },
  { label: WORDS.instances, value: deployments.instances },
];

function deploymentWords({ total, by_status }: System["deployments"]): string {
  const others = Object.entries(by_status).filter(([status, count]) => status !== "READY" && count > 0);
  return [`${total}`, ...others.map(([status, count]) => `${count} ${wordsOf(status).toLowerCase()}`)].join(
    ", ",
  );
}

const dataFacts = ({ data, migrations }: System) => [
  { label: WORDS.database, value: bytesText(data.database_bytes) },
  { label: WORDS.writeAheadLog, value: bytesText(data.wal_bytes) },
  { label: WORDS.file, value: <code>{data.database_file}</code> },
  {
    label: WORDS.migrations,
    value: WORDS.migrationsUpTo(migrations.applied, migrations.latest ?? WORDS.noMigration),
  },
];

function backupFacts({ schedule, failing_since, last_success, last_failure }: NonNullable<System["backup"]>) {
  const leftOut = last_success?.left_out ?? 0;
  return [
    { label: WORDS.schedule, value: <code>{schedule}</code> },
    {
      label: WORDS.backupState,
      value: failing_since ? (
        <>
          <StatusBadge status="failure" /> {WORDS.failingSince(<Ago at={failing_since} />)}
        </>
      ) : (
        <StatusBadge status={leftOut > 0 ? "warning" : "ok"} />
      ),
    },
    {
      label: WORDS.lastBackup,
      value: last_success ? (
        WORDS.backupOf(<Ago at={last_success.at} />, bytesText(last_success.bytes), leftOut)
      ) : (
        <span className="never">{WORDS.noneYet}</span>
      ),
    },
    ...(last_failure
      ? [
          {
            label: WORDS.lastFailure,
            value: WORDS.failureOf(<Ago at={last_failure.at} />, last_failure.reason),
          },
        ]
      : []),
  ];
}

const workFacts = ({ queue, deliveries, subscriptions, engine }: System) => [
  { label: WORDS.waitingRuns, value: <Waiting queue={queue} /> },
  { label: WORDS.runningRuns, value: WORDS.countOf(queue.running, queue.places) },
  { label: WORDS.waitingDeliveries, value: WORDS.waitingAndDue(deliveries.queued, deliveries.due) },
  { label: WORDS.deliveriesBeingSent, value: deliveries.leased },
  {
    label: WORDS.failedDeliveries,
    value: <Link href="/webhooks?tab=deliveries&state=dead">{deliveries.dead}</Link>,
  },
  {
    label: WORDS.webhooks,
    value: <Link href="/webhooks">{WORDS.activeFailing(subscriptions.active, subscriptions.failing)}</Link>,
  },
  { label: WORDS.tracesNotScannedYet, value: engine.unscanned_traces },
  { label: WORDS.lastScan, value: <LastScan engine={engine} /> },
];

/** Why the first of those that could begin has not begun. */
const WHY = {
  thread: WORDS.theirThreadsHaveRuns,
  places: WORDS.allSlotsAreTaken,
  late: WORDS.theProcessIsBusy,
  memory: WORDS.memoryIsShort,
  standby: WORDS.processTakesNone,
};

function Waiting({ queue: { waiting } }: Pick<System, "queue">) {
  const { due, later, since, why } = waiting;
  const isLater = later > 0 ? WORDS.startingLater(later) : "";
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
      {WORDS.waitingSince(isLater, <Ago at={since} />, WHY[why])}
    </>
  );
}

function LastScan({ engine: { last_scan: scan } }: Pick<System, "engine">) {
  if (!scan) return <span className="never">{WORDS.noneYet}</span>;
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
  const label = WORDS.freeOnDisk(bytesText(disk_free_bytes), bytesText(disk_total_bytes));
  return (
    <div className="disk" data-testid="disk">
      <meter
        min={0}
        max={disk_total_bytes}
        high={disk_total_bytes * (1 - TIGHT)}
        value={used}
        aria-label={label}
      />
      <p className={isTight ? "disk-tight" : undefined}>{WORDS.diskNote(label, bytesText(ours))}</p>
    </div>
  );
}
