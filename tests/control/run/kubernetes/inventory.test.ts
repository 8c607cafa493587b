import { expect, test } from "bun:test";
import type { Cluster } from "../../../../server/control/run/kubernetes/cluster.ts";
import { Inventory } from "../../../../server/control/run/kubernetes/inventory.ts";

const KINDS = ["Deployment", "Service", "Secret"];

/** A cluster whose lists are of the time when they were asked for, and come when `answer` is called. */
function slowCluster() {
  const objects = new Map(KINDS.map((kind) => [kind, new Set<string>()]));
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const cluster = {
    listMetadata: async (kind: string) => {
      asked.push(kind);
      const names = [...(objects.get(kind) ?? [])];
      await new Promise<void>((resolve) => waiting.push(resolve));
      return names.map((name) => ({ metadata: { name } }));
    },
  } as unknown as Cluster;
  const make = (name: string) => {
    for (const names of objects.values()) names.add(name);
  };
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { cluster, objects, asked, make, answer };
}

const place = (cluster: Cluster, name: string) => ({ cluster, namespace: "agents", name });

test("a hundred instances are looked at with three requests, and at once again with none", async () => {
  const { cluster, asked, make, answer } = slowCluster();
  const inventory = new Inventory();
  const names = Array.from({ length: 100 }, (_, at) => `berth-${at}`);
  for (const name of names) make(name);
  const all = () => Promise.all(names.map((name) => inventory.see(place(cluster, name))));
  const looks = all();
  answer();
  for (const { missing } of await looks) expect(missing).toEqual([]);
  await all();
  expect(asked.toSorted()).toEqual(KINDS.toSorted());
});

test("what was made while a list was on its way is not missing by that list", async () => {
  const { cluster, asked, make, answer } = slowCluster();
  const inventory = new Inventory();
  make("berth-old");
  const old = inventory.see(place(cluster, "berth-old"));
  make("berth-new");
  const fresh = inventory.see(place(cluster, "berth-new"));
  answer();
  expect((await old).missing).toEqual([]);
  // The second look begins when the first one is over.
  while (asked.length < 2 * KINDS.length) await Bun.sleep(0);
  answer();
  expect((await fresh).missing).toEqual([]);
});

test.each(KINDS)("an instance without its %s is told apart from one that has it", async (kind) => {
  const { cluster, objects, make, answer } = slowCluster();
  const inventory = new Inventory();
  for (const name of ["berth-1", "berth-2"]) make(name);
  const before = inventory.see(place(cluster, "berth-1"));
  answer();
  expect((await before).missing).toEqual([]);
  objects.get(kind)?.delete("berth-1");
  // It is not asked again what was there a moment ago, until that is over.
  for (;;) {
    const look = inventory.see(place(cluster, "berth-1"));
    await Bun.sleep(0);
    answer();
    const { missing } = await look;
    if (missing.length === 0) continue;
    expect(missing).toEqual([kind] as typeof missing);
    break;
  }
  const other = inventory.see(place(cluster, "berth-2"));
  answer();
  expect((await other).missing).toEqual([]);
});
