import { expect } from "bun:test";
import { join } from "node:path";
import { until } from "../condition.ts";
import { ask, type Frame, joinStream } from "../crash-http.ts";
import { Load, randomOf } from "../crash-load.ts";
import { expectAllKept } from "../crash-round.ts";
import { ends, eventOf, read } from "../crash-talks.ts";
import { Deployer, type DeployFigures } from "./chaos-deploys.ts";
import { ChaosLoad, type Followed, isPassing } from "./chaos-load.ts";
import { Cluster, KEY } from "./cluster.ts";
import { type FaultKind, type Loss, strike } from "./faults.ts";
import { Hooks } from "./hooks.ts";
import { judgeMarks, readMarks } from "./marks.ts";
import { ClusterTicks } from "./ticks.ts";

const CRONS = 4;
/** Something breaks when so many readers are in the middle of what they follow. */
const READING = 3;
const ENV = {
  ...{ ENGINE_INTERVAL: "1", WEBHOOK_ALLOW: "127.0.0.0/8", WEBHOOK_BACKOFF: "0" },
  // A round may take longer than events are kept by default; then a run that was checked last has none left.
  RESUMABLE_STREAM_TTL_SECONDS: "3600",
};

export type ChaosFigures = {
  round: number;
  seed: number;
  fault: FaultKind;
  acknowledged: number;
  runs: number;
  executions: number;
  afterThaw: number;
  starved: number;
  ticks: number;
  followed: number;
  events: number;
  reconnects: number;
  deliveries: number;
  checkMs: number;
};

/** Berths that live through all rounds, and what has to hold of all that was ever asked of them. */
export class Chaos {
  readonly #losses: Loss[] = [];
  readonly #told: string[] = [];
  #round = 0;

  private constructor(
    readonly cluster: Cluster,
    private readonly ticks: ClusterTicks,
    private readonly hooks: Hooks,
    private readonly deployer: Deployer,
  ) {}

  static async start(seed: number): Promise<Chaos> {
    const cluster = await Cluster.start(ENV);
    const ticks = new ClusterTicks(cluster);
    const hooks = new Hooks(randomOf(seed));
    hooks.secret = await ChaosLoad.subscribe(cluster.url, hooks.issues);
    const chaos = new Chaos(cluster, ticks, hooks, new Deployer(cluster.url, KEY));
    await ticks.create(CRONS, chaos.#file);
    return chaos;
  }

  get #file(): string {
    return join(this.cluster.berths[0]?.data ?? "", "marks");
  }

  /** Load, one thing that breaks at a moment that the seed decides, and everything checked. */
  async round(seed: number, fault: FaultKind): Promise<ChaosFigures> {
    const random = randomOf(seed);
    const { cluster, ticks } = this;
    const load = new Load(cluster.url, random, isPassing);
    const own = new ChaosLoad(cluster.url, random, { file: this.#file, webhook: this.hooks.runs });
    await ticks.give();
    await until(
      "readers to be in the middle",
      async () => own.reading,
      (count) => count >= READING,
    );
    await Bun.sleep(random() * 500);
    this.#losses.push(...(await strike(cluster, fault, random)));
    await ticks.give();
    await Bun.sleep(500 + random() * 1_000);
    await Promise.all([load.stop(), own.stop()]);
    const since = Date.now();
    this.#told.push(...own.told);
    await expectAllKept(cluster.url, load.acknowledged);
    const figures = await this.#check(own);
    this.deployer.check();
    const { threads, assistants, items, runs } = load.acknowledged;
    this.#round += 1;
    return {
      ...{ round: this.#round, seed, fault },
      acknowledged:
        threads.size + assistants.size + items.size + runs.length + own.labels.size + own.questions.length,
      ...figures,
      checkMs: Date.now() - since,
    };
  }

  async #check(own: ChaosLoad) {
    const { cluster, ticks, hooks } = this;
    const followed = [...own.streams, ...own.threads];
    await checkQuestions(cluster.url, own);
    for (const one of own.streams) await checkStream(cluster.url, one);
    for (const one of own.threads) await checkThread(cluster.url, one);
    await ticks.check();
    await this.#nothingUnderWay();
    const marks = readMarks(this.#file);
    const executed = new Set([...marks.values()].flatMap((all) => all.map(({ label }) => label)));
    expect([...own.labels].filter((label) => !executed.has(label))).toEqual([]);
    for (const { label, labels } of own.waited) expect(labels).toEqual([label]);
    const { deliveries } = await hooks.check(cluster, this.#told);
    return {
      ...judgeMarks(marks, this.#losses, cluster.lapsed()),
      ...{ ticks: ticks.total, followed: followed.length, deliveries },
      events: followed.reduce((sum, { frames }) => sum + frames.length, 0),
      reconnects: followed.reduce((sum, { connections }) => sum + connections - 1, 0),
    };
  }

  /** Runs without a thread of their own leave no row when they are over. */
  async #nothingUnderWay(): Promise<void> {
    await until(
      "no run to be under way",
      () =>
        this.cluster.query("select run_id, status, attempt from runs where status in ('pending', 'running')"),
      (left) => left.length === 0,
    );
    const ended = await this.cluster.query(
      "select run_id, status, error from runs where status not in ('success', 'interrupted') and error not like '%TypeError%'",
    );
    expect(ended).toEqual([]);
  }

  /** What was deployed across all rounds comes to its end. */
  deployed(): Promise<DeployFigures> {
    return this.deployer.stop();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    this.hooks.receiver.stop();
  }
}

/** An answer that was acknowledged was heard once; one that was not, at most once. */
async function checkQuestions(url: string, { questions }: ChaosLoad): Promise<void> {
  for (const { thread_id, answer, isAnswered } of questions) {
    const { status } = await until(
      "the thread to rest",
      () => ask<{ status: string }>(url, "GET", `/threads/${thread_id}`),
      (thread) => thread.status !== "busy",
    );
    const { values } = await ask<{ values: { said?: string[] } }>(url, "GET", `/threads/${thread_id}/state`);
    const said = values.said ?? [];
    const heard = [`answer: ${answer}`, "closed"];
    if (isAnswered || status === "idle") expect(said).toEqual(heard);
    else expect([[], heard]).toContainEqual(said);
  }
}

/** What a reader got across everything that broke is the log, no more and no less. */
async function checkStream(url: string, { thread_id, run_id, frames }: Followed): Promise<void> {
  const whole = await joinStream(url, `/threads/${thread_id}/runs/${run_id}`, "-1");
  expect(events(frames)).toEqual(events(whole));
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
}

async function checkThread(url: string, { thread_id, run_id, frames }: Followed): Promise<void> {
  const log: Frame[] = [];
  await read(url, thread_id, 0, log, (seen) => ends(seen).some(({ run }) => run === run_id));
  const until = Math.min(frames.length, log.length);
  expect(events(frames).slice(0, until)).toEqual(events(log).slice(0, until));
  expect(ends(frames)).toEqual([{ run: run_id, event: "completed" }]);
  const seqs = frames.map((frame) => eventOf(frame).seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
}

/** Without heartbeats. */
const events = (frames: Frame[]) => frames.filter(({ data }) => data !== "");
