import { dirname } from "node:path";
import { type Agent, type AgentSettings, type Clock, createAgent, giveMemoryBack } from "@berth/agent";
import {
  type Database,
  dueWork,
  Feedback,
  openDatabase,
  Traces,
  type Truncated,
  truncate,
  Unavailable,
} from "@berth/store";
import { type AppDeps, createApp } from "./app.ts";
import {
  DueWork,
  fileJobs,
  idleMemory,
  type Job,
  Loop,
  readTypesInTime,
  runJobs,
  runPlaces,
  upkeepJobs,
} from "./clock/index.ts";
import type { DeploymentsAtStop } from "./control/index.ts";
import { checkRoom, closeDataFolder } from "./data-folder/index.ts";
import { compileAsUsual } from "./early/index.ts";
import type { CodeSource, OpenCode } from "./executors/index.ts";
import { refuseExits, StartError } from "./exit/index.ts";
import { createGuard, Door, LastRequest } from "./front/index.ts";
import { BLOB_BYTES, Draining, Metrics, type Mounted } from "./http/index.ts";
import { logger, startProcessLog, surviveStrays } from "./log/index.ts";
import { holdProgram, registerBerth } from "./machine/index.ts";
import { openOutgoing, runWebhooks } from "./outgoing/index.ts";
import { tellClients } from "./own-calls/index.ts";
import { publicUrlOf, type Role, type Settings, STRONGER, type Texts, weakKeys } from "./settings/index.ts";
import { openTelemetry } from "./telemetry/index.ts";
import { commit, VERSION } from "./version.ts";
import { Site } from "./web/index.ts";
import type { Whole } from "./whole.ts";

export type Running = {
  url: string;
  /** Where it listens. */
  port: number;
  agent: Agent;
  /** What it answers, and to whom. */
  operations: readonly Mounted[];
  /** Takes no more runs, lets those that are under way end or hands them back, closes the database. */
  stop(options?: StopOptions): Promise<void>;
};

type StopOptions = { graceSeconds?: number; deployments?: DeploymentsAtStop };

/** As much of a thread's log as is kept, so that a replay stays short. */
const THREAD_LOG = { runs: 100, chars: 16_777_216 };
const runsLog = logger("runs");
/** Whoever asks how the process does is answered by then. */
const DATABASE_MS = 3_000;
const LAST_ANSWERS_MS = 500;
const RUNS_STOP_MS = 10_000;
/** As long as one delivery may take. */
const WEBHOOKS_STOP_MS = 20_000;
const LAST_TRACES_MS = 2_000;
const LAST_SPANS_MS = 5_000;

export type StartOptions = {
  source: CodeSource;
  /** Bundle the chat again when its sources change. */
  watchPage?: boolean;
  /** Where deployments are made, too: the environment that this process was started with. */
  control?: { environment: Texts };
  /** Hears where this process listens: before the project is loaded, unless another may listen there until then. */
  onListening?: (port: number) => void;
};

/**
 * Starts a process: database, agent, HTTP, timer loop.
 * @throws StartError | UnusableDatabase | NewerSchema | ProjectError
 */
export async function startProcess(
  settings: Settings,
  { source, watchPage = false, control, onListening }: StartOptions,
): Promise<Running> {
  startProcessLog(settings);
  if (settings.databaseFile === null && settings.secretsKey === null)
    throw new StartError(
      "SECRETS_KEY is not set: Berths that share a database on a server need the same one (16 characters or more)",
    );
  closeDataFolder(settings.dataDir);
  const door = new Door(settings, { mostUploadBytes: control ? BLOB_BYTES : 0, onListening });
  const allowExits = refuseExits();
  const takeBack = async () => {
    source.close();
    allowExits();
    await door.close();
  };
  const { port } = door;
  source.home.listensAt({ url: urlForGraphs(settings, port), port, ownToken: door.ownCalls?.token });
  // Side by side: importing a project's graphs takes longer than anything else here.
  const [db, { code, executors }] = await Promise.all([
    openDatabase(settings.databaseUrl),
    source.open(),
  ]).catch(async (error) => {
    await takeBack();
    throw error;
  });
  for (const warning of code.project.warnings ?? []) logger("project").warn`${warning}`;
  for (const weakness of weakKeys(settings)) logger("keys").warn`${weakness}: ${STRONGER}`;
  try {
    const site = new Site({ watch: watchPage });
    const running = await serve(settings, { db, code, executors, site, door, control });
    compileAsUsual();
    const forget = control && registerBerth(settings.dataDir);
    const stop = (options?: StopOptions) =>
      running.stop(options).finally(async () => {
        await takeBack();
        forget?.();
      });
    return { ...running, stop };
  } catch (error) {
    await takeBack();
    await db.close();
    throw error;
  }
}

const plays = ({ roles }: Settings, role: Role): boolean => roles.includes(role);

/** Where graphs find their own Agent Server: one that is no front has nothing to say to them. */
const urlForGraphs = (settings: Settings, port: number): string =>
  (!plays(settings, "front") && settings.publicUrl) || ownUrlOf(settings, port).url;

const ownUrlOf = (settings: Settings, port: number) => ({
  url: publicUrlOf({ ...settings, publicUrl: null }, port),
});

type Parts = Pick<StartOptions, "control"> &
  OpenCode & {
    db: Database;
    site: Site;
    door: Door;
  };

async function serve(settings: Settings, parts: Parts): Promise<Running> {
  const { db, code, executors, site, door, control: wanted } = parts;
  const { project } = code;
  let url = publicUrlOf(settings, settings.port);
  const publicUrl = () => url;
  let ownUrl = ownUrlOf(settings, settings.port).url;
  let port = settings.port;
  const { clock } = db;
  const place = { db, clock, publicUrl, port: () => port };
  const outgoing = await openOutgoing(settings, place);
  const telemetry = openTelemetry(settings);
  const agent = await createAgent({
    db,
    clock,
    code,
    watch: telemetry.runs,
    log: (event, fields) => {
      telemetry.note(event, fields);
      runsLog["error" in fields ? "error" : "info"](event, fields);
    },
    settings: { ...agentSettings(settings, publicUrl), webhooks: runWebhooks(project, outgoing) },
  });
  const program =
    wanted && holdProgram(settings.dataDir, (error) => logger("control").warn("program.not_held", { error }));
  let made: Promise<Whole> | undefined;
  const whole =
    wanted &&
    program &&
    (() => {
      const mayLead = plays(settings, "control");
      const deps = { ...{ ...place, ...wanted, ...outgoing, settings, program }, ownUrl: () => ownUrl };
      made ??= import("./whole.ts").then(({ createWhole }) =>
        createWhole({
          control: { ...deps, mayLead },
          operations: { ...deps, agent, jobs: () => everyJob },
        }),
      );
      return made;
    });
  // Berths of one server pass requests on from the first moment.
  const hops = settings.databaseFile === null ? (await whole?.())?.control.hops : undefined;
  const shipper = await shipperOf(settings, db);
  const prefix = settings.mountPrefix ?? project.http?.mountPrefix ?? "";
  const guard = await createGuard(settings, {
    ...{ db, clock, agent, publicUrl, prefix, controlPlane: whole !== undefined },
    ownToken: door.ownCalls?.token,
    hasOwnAuth: whole && (async (id) => (await whole()).control.gateway.hasOwnAuth(id)),
    peerOf: (request) => server?.requestIP(request)?.address,
  });
  const draining = new Draining();
  const metrics = new Metrics([...readings(agent, executors, clock), ...telemetry.readings]);
  const appDeps: AppDeps = {
    isFront: plays(settings, "front"),
    agent,
    others: db,
    draining,
    lastRequest: new LastRequest(clock),
    ...guard,
    hops,
    site,
    prefix,
    feedback: new Feedback(db, clock),
    metrics,
    requests: telemetry.requests,
    version: VERSION,
    commit,
    truncate: settings.isTest ? (wanted) => emptied(db, agent, wanted) : undefined,
    maxBodyBytes: settings.maxBodyBytes,
    publicUrl: settings.publicUrl,
    isDatabaseRemote: settings.databaseFile === null,
    checkDatabase: async () => {
      const read = db.read.selectFrom("workspaces").select("id").limit(1).execute();
      await within(DATABASE_MS, read);
      await checkRoom(settings.databaseFile === null ? settings.dataDir : dirname(settings.databaseFile));
    },
  };
  const { app, table } = createApp(appDeps);
  const server = door.open(app);
  port = server.port ?? settings.port;
  url = publicUrlOf(settings, port);
  ownUrl = ownUrlOf(settings, port).url;
  const forgetAddress = tellClients(urlForGraphs(settings, port), door.ownCalls);
  const { issues, control, operations } = await table.mountLater(async () => {
    const { createIssueArea, mountLater } = await import("./later.ts");
    const environment = wanted?.environment;
    const issues = await createIssueArea({ ...place, settings, agent, outgoing, environment });
    const deps = { ...appDeps, table, issues: issues.api };
    mountLater(deps);
    const parts = await whole?.();
    if (parts) (await import("./whole.ts")).mountWhole(parts, deps);
    return { issues, ...parts };
  });
  metrics.add([...issues.readings, ...(control?.readings ?? []), ...(operations?.readings ?? [])]);
  const due = new DueWork({
    next: () => dueWork(db),
    lookAgain: () => agent.queue.lookAgain(),
    changes: () => db.changes(),
    isExact: settings.databaseFile !== null,
  });
  const isControl = plays(settings, "control");
  const everyJob: Job[] = [
    ...[...runJobs(agent, db), runPlaces(agent, executors), ...guard.jobs],
    idleMemory([() => executors?.giveMemoryBack(), () => db.forgetPages?.(), giveMemoryBack]),
    ...(isControl ? [...upkeepJobs(agent), ...fileJobs(db), ...issues.jobs] : []),
    ...[...(control?.jobs ?? []), ...(shipper?.jobs() ?? []), ...(operations?.jobs ?? [])],
    ...(db.changes() === undefined ? [] : [due.job]),
  ];
  const stopReading = readTypesInTime(project);
  const loop = new Loop(everyJob, clock, logger("clock"), {
    // A deployed process has its database for itself.
    leads: () => control?.leads() ?? true,
    changes: () => db.changes(),
    isDue: (now) => due.isDue(now),
  });
  loop.start();
  const listenNoMore = db.onForeign((changed) => {
    agent.queue.hear(changed);
    control?.hear(changed);
  });
  control?.start();
  operations?.start();
  if (isControl) issues.start();
  const forgive = surviveStrays();
  return {
    url,
    port,
    agent,
    operations: table.mounted,
    stop: async ({ graceSeconds = settings.shutdownGraceSeconds, deployments = "stop" } = {}) => {
      draining.begin();
      stopReading();
      // The loop goes on: runs that are given time to end need their leases renewed.
      await Promise.all([agent.queue.stop(graceSeconds * 1_000), control?.stop(graceSeconds, deployments)]);
      await operations?.stop();
      await issues.stop(Math.min(graceSeconds * 1_000, WEBHOOKS_STOP_MS));
      await loop.stop();
      listenNoMore();
      await shipper?.last(LAST_TRACES_MS);
      // Whoever waited for one of those runs gets the answer; what can have none any more is cut.
      await Promise.race([server.stop(), Bun.sleep(LAST_ANSWERS_MS)]);
      await server.stop(true);
      executors?.stop();
      await telemetry.stop(LAST_SPANS_MS);
      await db.close();
      forgetAddress();
      forgive();
    },
  };
}

function agentSettings(settings: Settings, publicUrl: () => string): AgentSettings {
  return {
    concurrency: settings.runConcurrency,
    leaseMs: settings.runLeaseMs,
    renewMs: Math.floor(settings.runLeaseMs * 0.3),
    jobTimeoutMs: settings.runTimeoutSeconds * 1_000,
    eventsTtlMs: settings.resumableStreamTtlSeconds * 1_000,
    threadLog: { ttlMs: settings.threadLogTtlSeconds * 1_000, ...THREAD_LOG },
    graphConfig: settings.graphConfig,
    standby: settings.standby,
    executes: plays(settings, "executor"),
    keepsTracesOfThreads: settings.tracesOutliveThreads,
    tracing: settings.tracing ? { ships: settings.shipTracesTo !== null } : undefined,
    publicUrl,
    feedbackUrl: ({ thread_id, run_id }, key) =>
      `${publicUrl()}/api/threads/${thread_id}/runs/${run_id}/feedback/${encodeURIComponent(key)}`,
  };
}

/** In a deployed process: sends on what its runs leave. */
async function shipperOf({ tracing, shipTracesTo: url, gatewayToken: token }: Settings, db: Database) {
  if (!tracing || url === null || token === null) return undefined;
  const { Shipper } = await import("./langsmith/index.ts");
  return new Shipper({ traces: new Traces(db, db.clock), url, token, log: logger("traces") });
}

/** @throws Unavailable nobody answered in time: a network that is gone says nothing */
function within<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Unavailable("The database does not answer")), limitMs);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** What runs would write into what is emptied. */
async function emptied(db: Database, agent: Agent, wanted: Truncated[]): Promise<void> {
  const keepsRuns = wanted.every((kind) => kind === "store" || kind === "assistants");
  const empty = async () => {
    await truncate(db, wanted);
    if (wanted.includes("assistants")) await agent.registerGraphs();
  };
  if (keepsRuns) return empty();
  await agent.runs.cancelMany({ status: "all" }, "rollback");
  const limit = Date.now() + RUNS_STOP_MS;
  while ((await agent.queue.pending()) + agent.queue.running > 0) {
    if (Date.now() > limit) throw new Unavailable("The runs do not stop");
    await Bun.sleep(5);
  }
  await empty();
}

function readings(agent: Agent, executors: OpenCode["executors"], clock: Clock) {
  const waitsForS = async () => {
    const { since } = await agent.queue.waiting();
    return since === null ? 0 : Math.max(0, clock.now() - since) / 1_000;
  };
  return [
    {
      name: "berth_executors",
      help: "Threads or processes that run graphs beside this process's own thread",
      read: () => executors?.loads.length ?? 0,
    },
    { name: "berth_runs_running", help: "Runs this process executes", read: () => agent.queue.running },
    { name: "berth_runs_places", help: "Runs this process executes at most", read: () => agent.queue.places },
    { name: "berth_runs_pending", help: "Runs waiting on this database", read: () => agent.queue.pending() },
    {
      name: "berth_runs_waiting_seconds",
      help: "Since when the first run waits that could begin",
      read: waitsForS,
    },
  ];
}
