import { COLD } from "./cold-lines.ts";
import { Labourer } from "./labour.ts";
import {
  type Group,
  type Measure,
  type OwnMeasure,
  type Row,
  rowOf,
  type Samples,
  type Taken,
  type TargetName,
} from "./line.ts";
import { GROUPS } from "./lines.ts";
import { chosen, isWanted, type Options } from "./options.ts";
import { installPeer } from "./peer.ts";
import { AT_REST } from "./rest-lines.ts";
import { BENCH_KEY, type Server, startServer } from "./servers.ts";
import type { Bounds, Job } from "./worker/job.ts";

export type Outcome = {
  rows: (Row & { section: string })[];
  failures: string[];
  versions: Record<string, unknown>;
};

/** What starts its own servers comes first, while nothing else is there. */
const OWN: OwnMeasure[] = [...AT_REST, COLD];

/** Every line that there is, in the order of the table. */
export const LINE_IDS = [...OWN, ...GROUPS.flatMap(({ measures }) => measures)].flatMap(({ lines }) =>
  lines.map(({ id }) => id),
);

/** Jobs that last as long as they are told, and so can be done in many short rounds. */
const IN_ROUNDS = new Set<Job["kind"]>(["runs", "pairs", "streams", "requests"]);
/** Jobs that start their servers themselves, or need none. */
const STARTING = new Set<Job["kind"]>([
  ...(["tracing", "executors", "postgres", "python"] as const),
  ...(["engine-scan", "backlog", "beside-hanging"] as const),
]);
const ROUNDS = 5;
const ROUNDS_OF_PEER = 3;
/** To compare commits, in fresh processes each time: one differs from the next by some percent. */
const PROCESSES = 3;

/**
 * Takes every selected measure, on each target in turns; the figures come in the order of the table.
 * @param root where the sources lie that one compares with
 * @param sofar told of what there is, whenever there is more: the bench may be ended before its end
 */
export async function runBench(
  options: Options,
  root?: string,
  sofar: (outcome: Outcome) => Promise<unknown> = async () => undefined,
): Promise<Outcome> {
  const outcome: Outcome = { rows: [], failures: [], versions: {} };
  const own = OWN.filter(({ lines }) => isWanted(options, lines));
  const groups = GROUPS.map((group) => ({
    ...group,
    measures: group.measures.filter(
      ({ lines, on }) => isWanted(options, lines, group.isLong) && chosen(options, on).length > 0,
    ),
  })).filter(({ measures }) => measures.length > 0);
  if (own.length + groups.length === 0) throw new Error(`no line starts with ${options.only.join(" or ")}`);
  if (options.peer && options.against === undefined) await installPeer();
  for (const { section, lines, take } of own) {
    const taken: Taken = {
      quick: options.quick,
      names: (wanted) => chosen(options, wanted),
      rootOf: (name) => (name === "before" ? root : undefined),
    };
    const samples = await orFailure(outcome, lines[0]?.id, () => take(taken));
    if (samples) outcome.rows.push(...lines.map((line) => ({ ...rowOf(line, samples), section })));
    console.error(`measured ${lines[0]?.id}`);
    await sofar(outcome);
  }
  for (const group of groups) {
    outcome.rows.push(...(await new Shift(group, options, outcome, root).take()));
    await sofar(outcome);
  }
  return outcome;
}

/** One that fails does not stop the others. */
async function orFailure<T>({ failures }: Outcome, what: string | undefined, work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    failures.push(`${what}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** The measures of one group, on servers that are its own. */
class Shift {
  readonly #servers = new Map<TargetName, Server>();
  readonly #labourers = new Map<string, Labourer>();
  readonly #samples = new Map<Measure, Samples>();
  #warmed = new Set<string>();

  constructor(
    private readonly group: Group,
    private readonly options: Options,
    private readonly outcome: Outcome,
    private readonly root: string | undefined,
  ) {}

  async take(): Promise<Outcome["rows"]> {
    const { measures, section } = this.group;
    const passes = this.options.against === undefined || this.options.quick ? 1 : PROCESSES;
    for (let pass = 0; pass < passes; pass += 1)
      await orFailure(this.outcome, measures[0]?.lines[0]?.id, () => this.#once());
    return measures.flatMap((measure) =>
      measure.lines.map((line) => ({ ...rowOf(line, this.#samples.get(measure) ?? new Map()), section })),
    );
  }

  async #once(): Promise<void> {
    try {
      await this.#start();
      for (const measure of this.group.measures) await this.#measure(measure);
    } finally {
      for (const labourer of this.#labourers.values()) await labourer.end();
      for (const server of this.#servers.values()) await server.stop();
      this.#labourers.clear();
      this.#servers.clear();
      this.#warmed = new Set();
    }
  }

  async #start(): Promise<void> {
    const { measures, environment } = this.group;
    const needed = measures.flatMap((measure) =>
      measure.on.filter((name) => (name === "bare" ? measure.served : !STARTING.has(kindOf(measure)))),
    );
    for (const name of chosen(this.options, [...new Set(needed)])) {
      const server = await startServer(name, {
        environment,
        root: name === "before" ? this.root : undefined,
      });
      this.#servers.set(name, server);
      const headers = { "x-api-key": BENCH_KEY };
      if (name !== "bare")
        this.outcome.versions[name] = await (await fetch(`${server.url}/info`, { headers })).json();
      server.pause();
    }
  }

  async #measure(measure: Measure): Promise<void> {
    const samples = this.#samples.get(measure) ?? new Map();
    this.#samples.set(measure, samples);
    const names = chosen(this.options, measure.on);
    const failed = new Set<TargetName>();
    for (let round = 0; round < this.#rounds(measure); round += 1) {
      // Who went second goes first: one may leave the caches warm for the other.
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        if (failed.has(name) || (name === "peer" && round >= (inRounds(measure) ? ROUNDS_OF_PEER : 1)))
          continue;
        const what = `${measure.lines[0]?.id} on ${name}`;
        const figures = await orFailure(this.outcome, what, () => this.#work(measure, name, round));
        if (figures) samples.set(name, [...(samples.get(name) ?? []), figures]);
        else failed.add(name);
      }
    }
    console.error(`measured ${measure.lines[0]?.id}`);
  }

  #rounds(measure: Measure): number {
    const { rounds } = measure;
    if (rounds !== undefined) return this.options.quick ? Math.min(rounds, 2) : rounds;
    if (!inRounds(measure)) return 1;
    return this.options.quick ? 3 : ROUNDS;
  }

  async #work(measure: Measure, name: TargetName, round: number) {
    const server = name === "bare" && !measure.served ? undefined : this.#servers.get(name);
    const { url, pid, data } = server ?? {};
    const target = url && pid && data ? { url, pid, data } : ({ bare: true } as const);
    const key = `${name} ${url}`;
    const labourer =
      this.#labourers.get(key) ?? new Labourer(target, name === "before" ? this.root : undefined);
    this.#labourers.set(key, labourer);
    server?.resume();
    try {
      const bounds = inRounds(measure) ? this.#bounds(name, round, key) : this.#long(name);
      return await labourer.work(measure.job(bounds, name), round > 0);
    } catch (error) {
      this.#labourers.delete(key);
      await labourer.end();
      throw error;
    } finally {
      server?.pause();
    }
  }

  /** The first measure of a process warms it up; the next ones find most of it compiled. */
  #bounds(name: TargetName, round: number, key: string): Bounds {
    const { quick } = this.options;
    const isSlow = name === "peer";
    const first = this.#warmed.has(key) ? 1_500 : 4_500;
    if (round === 0) this.#warmed.add(key);
    const warmMs = round > 0 ? 100 : isSlow ? 600 : quick ? 500 : first;
    return { warmMs, measureMs: isSlow ? 1_500 : quick ? 500 : 1_000, limit };
  }

  /** Of a job that is done once. The peer gets longer to measure, since it does less per second. */
  #long(name: TargetName): Bounds {
    const isSlow = name === "peer";
    if (this.options.quick) return { warmMs: isSlow ? 300 : 500, measureMs: isSlow ? 1_200 : 700, limit };
    return { warmMs: isSlow ? 1_000 : 4_500, measureMs: isSlow ? 4_000 : 3_000, limit };
  }
}

const limit = Number.MAX_SAFE_INTEGER;

const kindOf = ({ job }: Measure): Job["kind"] => job({ warmMs: 0, measureMs: 0, limit }, "berth").kind;
const inRounds = (measure: Measure) => IN_ROUNDS.has(kindOf(measure));
