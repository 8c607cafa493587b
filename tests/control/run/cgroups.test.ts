import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CgroupPlace, Cgroups, ownPlace, textOf } from "../../../server/control/run/cgroups.ts";
import { until } from "../../e2e/condition.ts";
import { because, testUnless } from "../../skips.ts";

// A tree of plain files stands for the kernel's where that has no memory controller for us: it shows which groups are
// made and what is written. That the kernel acts on it is shown by the last test, where it can be.
let mount: string;
let told: string[];

beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), "berth-cgroups-"));
  told = [];
});

afterEach(() => rmSync(mount, { recursive: true, force: true }));

type Group = { controllers?: string; procs?: number[]; isTop?: boolean };

function group(path: string, { controllers = "cpuset cpu memory pids", procs = [], isTop }: Group): void {
  mkdirSync(join(mount, path), { recursive: true });
  const files = {
    "cgroup.controllers": `${controllers}\n`,
    "cgroup.procs": procs.map((pid) => `${pid}\n`).join(""),
    ...(!isTop && { "cgroup.type": "domain\n" }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(mount, path, name), text);
}

const SERVICE = "/system.slice/berth.service";
const place = (given: Partial<CgroupPlace> = {}): CgroupPlace => ({
  ...{ mount, path: SERVICE, isRoot: false, pid: 100 },
  isOurs: (pid) => pid === 101,
  ...given,
});
const read = (...path: string[]) => readFileSync(join(mount, ...path), "utf8");
const cgroups = (of: CgroupPlace | undefined) => new Cgroups((reason) => told.push(reason), of);
const LIMITS = { memoryMb: 512, cpus: 1.5 };
const NOT_HELD = { memory: false, cpu: false };

describe("an instance is held to its limits", () => {
  test("in a service that was delegated to us, where we move aside first", () => {
    group("/", { isTop: true });
    group(SERVICE, { procs: [100, 101] });
    expect(cgroups(place()).hold("one", 4_711, LIMITS)).toEqual({ memory: true, cpu: true });
    expect(read(SERVICE, "cgroup.subtree_control")).toBe("+memory +cpu");
    const own = join(SERVICE, "berth-instances");
    expect(read(own, "cgroup.subtree_control")).toBe("+memory +cpu");
    expect(read(own, "one", "memory.max")).toBe(String(512 * 2 ** 20));
    expect(read(own, "one", "cpu.max")).toBe("150000 100000");
    expect(read(own, "one", "cgroup.procs")).toBe("4711");
    // The last of ours that moved.
    expect(read(SERVICE, "berth", "cgroup.procs")).toBe("101");
  });

  test("beside our own group, where we are in it already", () => {
    group("/", { isTop: true });
    group(SERVICE, {});
    group(`${SERVICE}/berth`, { procs: [100] });
    expect(cgroups(place({ path: `${SERVICE}/berth` })).hold("one", 1, LIMITS).memory).toBe(true);
    expect(existsSync(join(mount, SERVICE, "berth-instances", "one", "memory.max"))).toBe(true);
    expect(read(SERVICE, "berth", "cgroup.procs")).toBe("100\n");
  });

  test("at the top as root in somebody's session, whose shell stays where it is", () => {
    group("/", { isTop: true });
    const path = "/user.slice/user-0.slice/session-3.scope";
    group(path, { procs: [50, 100] });
    expect(cgroups(place({ path, isRoot: true })).hold("one", 1, LIMITS).memory).toBe(true);
    expect(existsSync(join(mount, "berth-instances", "one", "memory.max"))).toBe(true);
    expect(read(path, "cgroup.procs")).toBe("50\n100\n");
  });

  test("by memory alone where processors cannot be limited, and not at all where nothing is limited", () => {
    group("/", { isTop: true });
    group(SERVICE, { controllers: "memory pids" });
    expect(cgroups(place()).hold("none", 1, { memoryMb: null, cpus: null })).toEqual({
      memory: true,
      cpu: true,
    });
    expect(existsSync(join(mount, SERVICE, "berth-instances"))).toBe(false);
    expect(cgroups(place()).hold("one", 1, LIMITS)).toEqual({ memory: true, cpu: false });
    expect(existsSync(join(mount, SERVICE, "berth-instances", "one", "cpu.max"))).toBe(false);
  });

  test.each([
    ["without a controller", { controllers: "pids" }, "no memory controller"],
    ["beside a stranger", { procs: [100, 999] }, "process 999 is in Berth's control group"],
  ])("not %s, which is told once", (_name, given, reason) => {
    group("/", { isTop: true });
    group(SERVICE, given);
    const it = cgroups(place());
    expect(it.hold("one", 1, LIMITS)).toEqual(NOT_HELD);
    expect(it.hold("two", 2, LIMITS)).toEqual(NOT_HELD);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(reason);
    expect(existsSync(join(mount, SERVICE, "berth"))).toBe(false);
  });

  test("not where there are no groups of version 2", () => {
    expect(cgroups(undefined).hold("one", 1, LIMITS)).toEqual(NOT_HELD);
    expect(told).toEqual(["there are no control groups of version 2 here"]);
  });
});

test("the end that the kernel made is known, also to another Berth, and empty groups go", () => {
  group("/", { isTop: true });
  group(SERVICE, {});
  const groups = join(mount, SERVICE, "berth-instances");
  for (const [id, kills] of Object.entries({ killed: 2, lives: 0 })) {
    mkdirSync(join(groups, id), { recursive: true });
    writeFileSync(join(groups, id, "memory.events"), `low 0\nmax 31\noom ${kills}\noom_kill ${kills}\n`);
  }
  const it = cgroups(place());
  expect(["killed", "lives", "unknown"].map((id) => it.wasEnded(id))).toEqual([true, false, false]);
  for (const id of ["left", "known", "young"]) mkdirSync(join(groups, id));
  for (const id of ["left", "known"]) utimesSync(join(groups, id), 1, 1);
  it.sweep(new Set(["known"]));
  expect(["left", "known", "young"].filter((id) => existsSync(join(groups, id)))).toEqual(["known", "young"]);
  it.release("known");
  it.release("unknown");
  expect(existsSync(join(groups, "known"))).toBe(false);
});

const real = ownPlace();
const controllers = real ? textOf(join(real.mount, "cgroup.controllers")) : "";
const cannot = because(
  process.getuid?.() !== 0 || !/\bmemory\b/.test(controllers),
  "needs root and control groups of version 2 with a memory controller",
);

testUnless(cannot)("the kernel ends what takes more than its limit, and says so", async () => {
  const id = `test-${Bun.randomUUIDv7()}`;
  const it = cgroups(real);
  const greedy = Bun.spawn([
    process.execPath,
    "-e",
    "await Bun.sleep(300); const all = []; for (;;) { all.push(Buffer.alloc(2 ** 24, 1)); await Bun.sleep(1); }",
  ]);
  try {
    const { memory } = it.hold(id, greedy.pid, { memoryMb: 256, cpus: 0.5 });
    if (!memory) return expect(told).toHaveLength(1);
    expect(await greedy.exited).not.toBe(0);
    await until("the kernel to say so", async () => it.wasEnded(id));
  } finally {
    greedy.kill("SIGKILL");
    await greedy.exited;
    it.release(id);
  }
});
