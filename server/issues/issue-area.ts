import { type Agent, appAt, type Clock, type ServedProject } from "@berth/agent";
import {
  type Database,
  GroupingRules,
  Issues,
  ModelPrices,
  RunFigures,
  Sessions,
  Traces,
  takeOverEngineFile,
} from "@berth/store";
import type { Job } from "../clock/index.ts";
import { createDelivery } from "../delivery/index.ts";
import { logger } from "../log/index.ts";
import type { Outgoing } from "../outgoing/index.ts";
import type { Reading } from "../readings/index.ts";
import type { Settings, Texts } from "../settings/index.ts";
import { scanReadings } from "../telemetry/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";

/** What a process does about traces, issues and webhooks. */
export type IssueArea = {
  /** Only where issues are managed: a deployed process leaves that to the Berth that deployed it. */
  api: IssueRoutesDeps | undefined;
  jobs: Job[];
  readings: Reading[];
  /** Begins to send what waits. */
  start(): void;
  stop(graceMs: number): Promise<void>;
};

type IssueAreaDeps = {
  db: Database;
  clock: Clock;
  settings: Settings;
  agent: Agent;
  outgoing: Outgoing;
  publicUrl: () => string;
  /** Where issues are managed, too: the environment that this process was started with. */
  environment: Texts | undefined;
};

const DAY = 86_400_000;
const SWEEP_MS = 60_000;
const STRIP_MS = 1_000;

/**
 * Puts together what tells of a project's runs: the engine that finds issues, and what sends webhooks.
 * @throws ProjectError ENGINE_MODEL names no model, or one without its key
 */
export async function createIssueArea(deps: IssueAreaDeps): Promise<IssueArea> {
  const { db, clock, settings, agent, outgoing } = deps;
  const delivery = createDelivery({
    ...outgoing,
    chat: { apiUrl: settings.chatApiUrl, token: settings.chatToken },
    local: localOf(agent.project),
    clock,
  });
  const traces = new Traces(db, clock);
  const issues = new Issues(db, clock, outgoing.outbox);
  const figures = new RunFigures(db, clock);
  const retentionMs = settings.traceRetentionDays * DAY;
  const scans = deps.environment && (await openScans(deps, deps.environment));
  const isBusy = () => agent.queue.running > 0 || scans?.engine.isScanning === true;
  return {
    api: scans && {
      ...outgoing,
      ...{
        traces,
        figures,
        modelPrices: new ModelPrices(db, clock),
        issues,
        groupingRules: new GroupingRules(db, clock),
        sessions: new Sessions(db, clock),
        engineRuns: scans.engine.runs,
      },
      scan: (of) => scans.engine.scan(of),
      hasChat: settings.chatToken !== null || settings.chatApiUrl !== null,
      servedProject: settings.tracing ? agent.project.name : null,
      publicUrl: deps.publicUrl,
      now: () => clock.now(),
    },
    jobs: [
      ...delivery.jobs,
      ...upkeep(traces, figures, { retentionMs, maxOfWorkspace: settings.quotas.traces }),
      indexing(traces, isBusy),
      { name: "issues.sweep", everyMs: SWEEP_MS, once: () => issues.sweep(retentionMs), byLeader: true },
      ...(scans?.engine.jobs ?? []),
    ],
    readings: [...delivery.readings, ...(scans?.readings ?? [])],
    start: () => delivery.start(),
    stop: async (graceMs) => {
      await scans?.engine.stop(graceMs);
      // What the last scans and runs put into the outbox is there for the next start.
      await delivery.stop(graceMs);
    },
  };
}

/** How long traces are kept, and how many of a workspace; null for no limit. */
type KeptTraces = { retentionMs: number; maxOfWorkspace: number | null };

/** What keeps traces and figures as they should be. */
function upkeep(traces: Traces, figures: RunFigures, kept: KeptTraces): Job[] {
  const sweep = () => traces.sweep(kept.retentionMs, kept.maxOfWorkspace);
  return [
    { name: "traces.sweep", everyMs: SWEEP_MS, once: sweep, byLeader: true },
    { name: "figures.sweep", everyMs: SWEEP_MS, once: () => figures.sweep(), byLeader: true },
    // Traces that an earlier Berth wrote.
    {
      name: "figures.count",
      everyMs: STRIP_MS,
      once: async () => void (await traces.countOld()),
      byLeader: true,
      rests: true,
    },
    // What a crash left undone; and those whose time was over.
    { name: "traces.strip", everyMs: STRIP_MS, once: () => traces.strip(), byLeader: true, rests: true },
  ];
}

/** Of each second (ms): little while runs, or a scan, are at work. */
const INDEXED_BESIDE_MS = 10;
const INDEXED_MS = 500;

/** Words of traces are written when somebody searches; the process that was asked goes on where a search has to end. */
const indexing = (traces: Traces, isBusy: () => boolean): Job => ({
  name: "traces.index",
  everyMs: STRIP_MS,
  once: () => traces.index(isBusy() ? INDEXED_BESIDE_MS : INDEXED_MS),
});

/** The engine, with what one of an earlier version left. */
async function openScans({ db, clock, settings, agent, outgoing }: IssueAreaDeps, environment: Texts) {
  const { issueEngine: wanted, runLeaseMs } = settings;
  const { Engine, openModel } = await import("@berth/agent/engine");
  const ask = wanted.model === null ? undefined : openModel(wanted.model, environment);
  const log = logger("engine");
  // Without it scans go on as well, a little later.
  if (settings.databaseFile !== null)
    await takeOverEngineFile(db, settings.databaseFile).catch((error) =>
      log.warn("engine.old_file", { error }),
    );
  const { readings, note } = scanReadings();
  const engine = new Engine({
    ...{ db, clock, ask, outbox: outgoing.outbox, owner: agent.owner },
    settings: {
      intervalMs: wanted.intervalSeconds * 1_000,
      minTraces: wanted.minTraces,
      timeoutMs: wanted.timeoutSeconds * 1_000,
      leaseMs: runLeaseMs,
    },
    flush: () => agent.flushTraces(),
    log: (event, fields) => {
      note(event, fields);
      log.info(event, fields);
    },
  });
  return { engine, readings };
}

/** Hands a request to an app of the project's own, under whatever name: it is nobody else's. */
function localOf({ http }: ServedProject) {
  if (!http?.app && !http?.mounted?.length) return null;
  return async (path: string, init: RequestInit) => {
    const url = new URL(path, "http://localhost");
    const found = appAt(http, url.pathname);
    if (!found) return new Response(null, { status: 404 });
    url.pathname = found.pathname;
    return found.app.answer(new Request(url, init));
  };
}
