import { expect, test } from "bun:test";
import { BadRequest, Conflict, type Deployment, NotFound, type Revision } from "@berth/store";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { Rig } from "./rig.ts";

const LONG = process.env.BERTH_LONG === "1";
const ROUNDS = LONG ? 400 : 6;
const STEPS = 40;
const NAMES = ["one", "two", "three"];
const FAULTS = ["prepare", "build", "start", undefined, undefined, undefined] as const;
// BERTH_SEED=N repeats a round that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** A sequence of numbers in [0, 1) that a seed repeats. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Owners who do what they like, whenever they like, and a Berth that ends whenever it does. */
class Play {
  readonly #known = new Map<string, { deployment: Deployment; revisions: Revision[] }>();
  #branches = 0;

  constructor(
    readonly rig: Rig,
    private readonly random: () => number,
  ) {}

  /** One thing that somebody does. */
  async step(): Promise<void> {
    const steps = [
      () => this.#create(),
      () => this.#push(),
      () => this.#push(),
      () => this.#redeploy(),
      () => this.#interrupt(),
      () => this.#delete(),
      () => this.#killProcess(),
      () => this.#crash(),
      () => this.#stop(),
    ];
    await unlessRefused(this.#pick(steps)?.() ?? Promise.resolve());
    for (let turns = Math.floor(this.random() * 12); turns > 0; turns -= 1) await this.#turn();
  }

  /** What must hold when everybody is done. */
  async end(): Promise<string[]> {
    if (this.rig.life.isDead) await this.rig.begin();
    await this.rig.settle();
    await this.rig.begin();
    await this.rig.settle();
    // The one that begins with Berth may not be through yet.
    await this.rig.tidy();
    const wrongs = await this.rig.wrongs();
    for (const { deployment } of this.#known.values()) {
      const found = await this.rig.owner.deployments.find(deployment.id);
      const running = this.rig.world.of(deployment.id).length;
      const expected = found?.active_revision_id ? 1 : 0;
      if (running !== expected) wrongs.push(`${running} processes of ${deployment.name}, not ${expected}`);
    }
    return wrongs;
  }

  async #turn(): Promise<void> {
    if (this.rig.life.isDead) await this.rig.begin();
    await this.rig.turn();
  }

  #pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)];
  }

  #branch(): string {
    this.#branches += 1;
    const name = `branch-${this.#branches}`;
    const fault = this.#pick(FAULTS);
    if (fault) this.rig.world.faults.set(name, fault);
    return name;
  }

  async #create(): Promise<void> {
    const name = this.#pick(NAMES) ?? "one";
    const { deployment, revision } = await this.rig.create(name, this.#branch());
    this.#known.set(deployment.id, { deployment, revisions: [revision] });
  }

  async #push(): Promise<void> {
    const known = this.#pick([...this.#known.values()]);
    if (known) known.revisions.push(await this.rig.push(known.deployment.id, this.#branch()));
  }

  async #redeploy(): Promise<void> {
    const revision = this.#pick(this.#pick([...this.#known.values()])?.revisions ?? []);
    if (revision) await this.rig.redeploy(revision);
  }

  async #interrupt(): Promise<void> {
    const revision = this.#pick(this.#pick([...this.#known.values()])?.revisions ?? []);
    if (revision) await this.rig.interrupt(revision);
  }

  async #delete(): Promise<void> {
    const known = this.#pick([...this.#known.values()]);
    if (known && this.random() < 0.3) await this.rig.delete(known.deployment.id);
  }

  async #killProcess(): Promise<void> {
    const pid = this.#pick([...this.rig.world.processes.keys()]);
    if (pid !== undefined) this.rig.world.processes.delete(pid);
  }

  async #crash(): Promise<void> {
    await this.rig.begin({ at: 1 + Math.floor(this.random() * 40), after: this.random() < 0.5 });
  }

  async #stop(): Promise<void> {
    if (this.rig.life.isDead) return;
    await this.rig.stop();
    await this.rig.begin();
  }
}

async function unlessRefused(asked: Promise<void>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof BadRequest || error instanceof Conflict || error instanceof NotFound)) throw error;
  }
}

test(
  "whatever owners do and whenever Berth ends, everything comes to its end and nothing is left over",
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seed = SEED + round;
      const rig = await Rig.open();
      try {
        await rig.begin();
        const play = new Play(rig, randomOf(seed));
        for (let step = 0; step < STEPS; step += 1) await play.step();
        expect(await play.end()).toEqual([]);
      } catch (error) {
        throw new Error(`BERTH_SEED=${seed}: ${error}`, { cause: error });
      } finally {
        await rig.close();
      }
    }
  },
  LONG ? 1_200_000 : TEST_LIMIT_MS,
);
