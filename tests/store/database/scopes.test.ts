import { expect, test } from "bun:test";
import {
  DatabaseAway,
  GroupWriter,
  type Transact,
  type Tx,
  type WriteOrder,
} from "../../../store/database/writer.ts";

/** Transactions that end when the test says so; what was begun, by the names of its units. */
function underControl(lanes: number) {
  const begun: { units: string[]; how: WriteOrder; end: () => void; fail: (error: Error) => void }[] = [];
  const transact: Transact = async (body, how) => {
    const units: string[] = [];
    const result = await body({ units } as unknown as Tx);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push({ units, how, end: resolve, fail: reject });
    await promise;
    return result;
  };
  const writer = new GroupWriter(transact, lanes);
  const write = (name: string, how?: WriteOrder) =>
    writer.write(async (tx) => {
      (tx as unknown as { units: string[] }).units.push(name);
    }, how);
  return { begun, writer, write, close: () => writer.close() };
}

const scoped = (...scope: string[]): WriteOrder => ({ scope });

/** Everything that may begin has begun. */
const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((next) => setImmediate(next));
};

test("units that share no scope are written at once, those that share one in their order", async () => {
  const { begun, write } = underControl(4);
  for (const [name, scope] of [
    ["a1", "a"],
    ["a2", "a"],
    ["b1", "b"],
  ] as const)
    void write(name, scoped(scope));
  await settled();
  expect(begun.map(({ units }) => units)).toEqual([["a1"], ["b1"]]);
  begun[1]?.end();
  await settled();
  expect(begun).toHaveLength(2);
  begun[0]?.end();
  await settled();
  expect(begun[2]?.units).toEqual(["a2"]);
  begun[2]?.end();
});

test("what has no scope is alone, and nobody passes it", async () => {
  const { begun, write } = underControl(4);
  void write("a", scoped("a"));
  await settled();
  void write("everything");
  void write("b", scoped("b"));
  await settled();
  expect(begun.map(({ units }) => units)).toEqual([["a"]]);
  begun[0]?.end();
  await settled();
  // What waits behind it goes along.
  expect(begun[1]?.units).toEqual(["everything", "b"]);
  expect(begun[1]?.how.scope).toBeUndefined();
  begun[1]?.end();
});

test("a group has the scopes and what is told of all its units, as patient as the most patient of patient ones", async () => {
  const { begun, write } = underControl(1);
  void write("first", scoped("x"));
  await settled();
  void write("a", { scope: ["a"], tells: ["run:1"], patienceMs: 10 });
  void write("b", { scope: ["b", "a2"], tells: ["run:2"], patienceMs: 20 });
  begun[0]?.end();
  await settled();
  expect(begun[1]?.how).toMatchObject({ scope: ["a", "a2", "b"], patienceMs: 20 });
  expect(begun[1]?.how.tells).toEqual(["run:1", "run:2"]);
  begun[1]?.end();
});

test("a database that is away for long refuses those without patience; the others of their group wait on", async () => {
  const { begun, write } = underControl(1);
  void write("first", scoped("x"));
  await settled();
  const patient = write("run", { scope: ["a"], patienceMs: 20 });
  const impatient = write("request", scoped("b"));
  begun[0]?.end();
  await settled();
  expect(begun[1]?.units).toEqual(["run", "request"]);
  expect(begun[1]?.how.patienceMs).toBeUndefined();
  expect(begun[1]?.how.longestPatienceMs).toBe(20);
  begun[1]?.fail(new DatabaseAway("away"));
  await expect(impatient).rejects.toThrow("away");
  await settled();
  expect(begun[2]?.units).toEqual(["run"]);
  expect(begun[2]?.how.patienceMs).toBe(20);
  begun[2]?.end();
  await patient;
});

test("whoever waits in line without patience is refused while patient ones hold the lanes", async () => {
  const { begun, writer, write, close } = underControl(1);
  const first = write("run", { scope: ["a"], patienceMs: 20 });
  await settled();
  const second = write("another run", { scope: ["b"], patienceMs: 20 });
  const impatient = write("request", scoped("c"));
  await settled();
  writer.refuseImpatient(new DatabaseAway("away"));
  await expect(impatient).rejects.toThrow("away");
  begun[0]?.end();
  await first;
  await settled();
  expect(begun[1]?.units).toEqual(["another run"]);
  const closed = close();
  begun[1]?.end();
  await Promise.all([second, closed]);
});

test("whoever closes waits for what was asked for, also when nothing was under way before", async () => {
  const { begun, close, write } = underControl(1);
  void write("before");
  await settled();
  begun[0]?.end();
  await settled();
  const last = write("last");
  let isClosed = false;
  const closed = close().then(() => {
    isClosed = true;
  });
  await settled();
  expect([begun[1]?.units, isClosed]).toEqual([["last"], false]);
  begun[1]?.end();
  await Promise.all([last, closed]);
  await expect(write("too late")).rejects.toThrow("closed");
});
