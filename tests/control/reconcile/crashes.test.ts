import { describe, expect, test } from "bun:test";
import { BadRequest, Conflict, type Deployment, NotFound, type Revision } from "@berth/store";
import { TEST_LIMIT_MS } from "../../limits.ts";
import type { Crash } from "./life.ts";
import { Rig } from "./rig.ts";

const LONG = process.env.BERTH_LONG === "1";
/** Of the moments at which Berth may end, every so many-th is tried. */
const EVERY = LONG ? 1 : 20;
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

type Scene = { deployment: Deployment; first: Revision };

type Scenario = {
  what: string;
  /** What its owner does while Berth may end at any moment. */
  act(rig: Rig, scene: Scene): Promise<Revision | undefined>;
  /** What comes out: the status of the revision that `act` made, and what serves; undefined where all is gone. */
  status?: string[];
  serving: (string | undefined)[];
};

const scenarios: Scenario[] = [
  {
    what: "another revision",
    act: (rig, { deployment }) => rig.push(deployment.id, "second"),
    status: ["DEPLOYED"],
    serving: ["second"],
  },
  {
    what: "one that cannot be built",
    act: (rig, { deployment }) => {
      rig.world.faults.set("second", "build");
      return rig.push(deployment.id, "second");
    },
    status: ["BUILD_FAILED"],
    serving: ["first"],
  },
  {
    what: "one that does not start",
    act: (rig, { deployment }) => {
      rig.world.faults.set("second", "start");
      return rig.push(deployment.id, "second");
    },
    status: ["DEPLOY_FAILED"],
    serving: ["first"],
  },
  {
    what: "two at once",
    act: async (rig, { deployment }) => {
      await rig.push(deployment.id, "second");
      await rig.turn();
      return rig.push(deployment.id, "third");
    },
    status: ["DEPLOYED"],
    serving: ["third"],
  },
  {
    what: "the same revision again",
    act: async (rig, { first }) => {
      await rig.redeploy(first);
      return first;
    },
    status: ["DEPLOYED"],
    serving: ["first"],
  },
  {
    what: "the revision before",
    act: async (rig, { deployment, first }) => {
      await rig.push(deployment.id, "second");
      await rig.settle();
      await unlessTooLate(rig.redeploy(first));
      return undefined;
    },
    serving: ["first", "second"],
  },
  {
    what: "an interrupted build",
    act: async (rig, { deployment }) => {
      rig.world.faults.set("second", "hang");
      const second = await rig.push(deployment.id, "second");
      await rig.until("it is built", async () => (await rig.status(second.id)) === "BUILDING");
      await rig.interrupt(second);
      return second;
    },
    status: ["INTERRUPTED"],
    serving: ["first"],
  },
  {
    what: "an interrupted start",
    act: async (rig, { deployment }) => {
      rig.world.faults.set("second", "health");
      const second = await rig.push(deployment.id, "second");
      await rig.until("it starts", async () => (await rig.status(second.id)) === "DEPLOYING");
      await rig.interrupt(second);
      return second;
    },
    status: ["INTERRUPTED"],
    serving: ["first"],
  },
  {
    what: "a process that dies",
    act: async (rig, { deployment, first }) => {
      for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
      await rig.turn();
      return first;
    },
    status: ["DEPLOYED"],
    serving: ["first"],
  },
  {
    what: "one that ends again and again",
    act: async (rig, { deployment, first }) => {
      await rig.push(deployment.id, "second");
      await rig.settle();
      for (let turn = 0; turn < 600 && !rig.life.isDead && rig.world.loops.length === 0; turn += 1) {
        const [running] = rig.world
          .of(deployment.id)
          .filter(({ name, claims }) => name === "second" && claims);
        if (running) rig.world.processes.delete(running.pid);
        await rig.turn();
      }
      return first;
    },
    status: ["DEPLOYED"],
    serving: ["first", "second"],
  },
  {
    what: "a deletion in the middle of a build",
    act: async (rig, { deployment }) => {
      const second = await rig.push(deployment.id, "second");
      await rig.until("it is built", async () => (await rig.status(second.id)) === "BUILDING");
      await rig.delete(deployment.id);
      return undefined;
    },
    serving: [undefined],
  },
];

/** Somebody else may have been quicker. */
async function unlessTooLate(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof BadRequest || error instanceof Conflict || error instanceof NotFound)) throw error;
  }
}

/** Plays a scenario in which Berth ends where `crash` says and is started again; gives its effects until then. */
async function play({ act, status, serving }: Scenario, crash?: Crash): Promise<string[]> {
  const rig = await Rig.open();
  try {
    await rig.begin();
    const { deployment, revision } = await rig.create("one", "first");
    await rig.settle();
    await rig.begin(crash);
    const second = await act(rig, { deployment, first: revision });
    await rig.settle();
    const { names } = rig.life;
    if (rig.life.isDead) {
      await rig.begin();
      await rig.settle();
    }
    const left = await rig.wrongs();
    expect(left).toEqual([]);
    if (status && second) expect(status).toContain((await rig.status(second.id)) ?? "");
    expect(serving).toContain(await rig.serving(deployment.id));
    return names;
  } finally {
    await rig.close();
  }
}

describe("Berth ends at any moment of", () => {
  for (const scenario of scenarios)
    test(
      scenario.what,
      async () => {
        const names = await play(scenario);
        expect(names.length).toBeGreaterThan(3);
        for (let at = 1 + (SEED % EVERY); at <= names.length; at += EVERY)
          for (const after of [false, true]) {
            try {
              await play(scenario, { at, after });
            } catch (error) {
              const where = `${after ? "after" : "before"} effect ${at} (${names[at - 1]})`;
              throw new Error(`Berth ended ${where}, BERTH_SEED=${SEED}: ${error}`, { cause: error });
            }
          }
      },
      LONG ? 2 * TEST_LIMIT_MS : TEST_LIMIT_MS,
    );
});
