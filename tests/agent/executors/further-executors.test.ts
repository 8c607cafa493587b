import { expect, test } from "bun:test";
import {
  Executors,
  type ExecutorsDeps,
  type FromExecutor,
  type LoadedFacts,
  PROTOCOL_VERSION,
  type Spawned,
  type ToExecutor,
} from "../../../agent/executors/index.ts";

type Begun = Parameters<Executors["begin"]>;

/** Executors that load at once, answer signs of life unless they are stuck, and never end a run by themselves. */
function threeAtMost() {
  let at = 1_000_000;
  let isStuck = false;
  const told: ToExecutor["type"][] = [];
  const spawn = (): Spawned => {
    let hear: ((messages: FromExecutor[]) => void) | undefined;
    const say = (message: FromExecutor) => hear?.([message]);
    return {
      port: {
        send: (messages: ToExecutor[]) => {
          told.push(...messages.map(({ type }) => type));
          if (!isStuck && messages.some(({ type }) => type === "ping")) say({ type: "pong" });
        },
        listen: (listener) => {
          hear = listener;
          // Nobody here asks for them.
          setImmediate(() => say({ type: "ready", protocol: PROTOCOL_VERSION, facts: {} as LoadedFacts }));
        },
      },
      gone: () => undefined,
      end: () => undefined,
      excess: () => undefined,
    };
  };
  const executors = new Executors({
    ...{ spawn, most: 3, hangMs: 60_000, clock: { now: () => at }, log: () => undefined },
    opening: {} as ExecutorsDeps["opening"],
  });
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  return {
    executors,
    told,
    turn,
    stick: () => {
      isStuck = true;
    },
    open: async () => {
      executors.start();
      await executors.opened;
      executors.work({} as Parameters<Executors["work"]>[0]);
    },
    begin: (run_id: string) => {
      const run = { run_id, thread_id: run_id, on_completion: null };
      return executors.begin({ run } as unknown as Begun[0], {} as Begun[1]);
    },
    /** As the timer does it. */
    pass: async (ms: number) => {
      for (const end = at + ms; at < end; at += 250) {
        executors.watch(at);
        await turn();
      }
    },
  };
}

test("short runs, and one that lasts, need no further executor", async () => {
  const { executors, open, begin, pass } = threeAtMost();
  await open();
  for (let n = 0; n < 3; n += 1) {
    const one = begin(`short ${n}`);
    const other = begin(`beside ${n}`);
    await pass(500);
    for (const attempt of [one, other]) attempt.close(undefined);
    await pass(500);
  }
  begin("lasts");
  await pass(5_000);
  expect(executors.loads).toEqual([1]);
});

test("several runs for a second get a further one, and pauses between runs do not count", async () => {
  const { executors, open, begin, pass } = threeAtMost();
  await open();
  const first = [begin("1"), begin("2")];
  await pass(750);
  for (const attempt of first) attempt.close(undefined);
  begin("3");
  begin("4");
  expect(executors.loads).toEqual([2]);
  await pass(1_000);
  expect(executors.loads).toEqual([2, 0]);
  begin("5");
  expect(executors.loads).toEqual([2, 1]);
});

test("a run that keeps the only one from answering gets company at once", async () => {
  const { executors, open, begin, stick, pass } = threeAtMost();
  await open();
  begin("spins");
  stick();
  await pass(750);
  expect(executors.loads.length).toBeGreaterThan(1);
});

test("an executor without runs that answers late is asked again, and gets company after a second only", async () => {
  const { executors, open, stick, pass } = threeAtMost();
  await open();
  stick();
  executors.ask("shape", "agent").catch(() => undefined);
  await pass(1_000);
  expect(executors.loads).toEqual([0]);
  await pass(750);
  expect(executors.loads).toEqual([0, 0]);
});

test("one beyond the first ends 20 seconds after its last run, and the first stays", async () => {
  const { executors, open, begin, pass } = threeAtMost();
  await open();
  const attempts = [begin("1"), begin("2")];
  await pass(1_500);
  attempts.push(begin("3"));
  expect(executors.loads).toEqual([2, 1]);
  for (const attempt of attempts) attempt.close(undefined);
  await pass(19_000);
  expect(executors.loads).toEqual([0, 0]);
  await pass(2_000);
  expect(executors.loads).toEqual([0]);
});

test("all that are ready are told to give memory back", async () => {
  const { executors, told, turn, open, begin, pass } = threeAtMost();
  await open();
  for (const run of ["1", "2"]) begin(run);
  await pass(1_500);
  expect(executors.loads).toEqual([2, 0]);
  executors.giveMemoryBack();
  await turn();
  expect(told.filter((type) => type === "giveMemoryBack")).toEqual(["giveMemoryBack", "giveMemoryBack"]);
});
