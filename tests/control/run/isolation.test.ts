import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimDatabaseFile } from "@berth/store";
import { closeDataFolder } from "../../../server/data-folder/index.ts";
import { readReady } from "../../../server/machine/folders.ts";
import { prepareIsolation } from "../../../server/machine/isolation.ts";
import { startTimeOf } from "../../../server/machine/process-table.ts";
import { because, describeUnless, notRoot, testUnless } from "../../skips.ts";
import {
  aDeployment,
  anInstance,
  aRevision,
  asked,
  built,
  openRig,
  type Rig,
  type Started,
  started,
} from "./rig.ts";

const mode = (path: string) => statSync(path).mode & 0o777;

/** What a Berth has in its data folder for itself. */
const OURS = ["berth.db", "berth.db-wal", "secrets.key"];

type Seen = {
  outcome: Record<string, string>;
  who: { uid: number; groups: number[]; umask: number };
};

/** Users of their own need root, and a program and sources that everybody may read. */
const notApart = notRoot ?? because(!probeIsolation(), "users of their own cannot be here");

function probeIsolation(): boolean {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-apart-"));
  const { users } = prepareIsolation({ dataDir });
  rmSync(dataDir, { recursive: true });
  return users.isolated;
}

describeUnless(notApart)("two deployments under users of their own (needs root)", () => {
  let rig: Rig;
  let one: Started;
  let other: Started;
  const inData = (...path: string[]) => join(rig.dataDir, ...path);
  const look = (input: object) => asked<Seen>(one, "/runs/wait", { assistant_id: "probe", input });

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-apart-"));
    for (const name of OURS) writeFileSync(join(dataDir, name), "ours");
    mkdirSync(join(dataDir, "uploads"));
    writeFileSync(join(dataDir, "uploads", "archive"), "somebody's");
    closeDataFolder(dataDir);
    claimDatabaseFile(join(dataDir, "berth.db"));
    rig = openRig({ dataDir });
    [one, other] = await Promise.all([started(rig), started(rig)]);
  });

  afterAll(async () => {
    await Promise.all([rig.driver.removeAll(one.deployment), rig.driver.removeAll(other.deployment)]);
    rig.remove();
  });

  test("run as themselves and nobody else", async () => {
    const { who } = await look({});
    expect(who).toMatchObject({ uid: one.deployment.uid, groups: [], umask: 0o077 });
    expect(one.deployment.uid).not.toBe(other.deployment.uid);
  });

  test("read nothing of Berth, and nothing of each other", async () => {
    const theirs = rig.folders.of(other.deployment);
    const read = [
      ...[...OURS, "uploads/archive"].map((name) => inData(name)),
      `/proc/${process.pid}/environ`,
      `/proc/${rig.row(other.instance.id).pid}/environ`,
      `/proc/${rig.row(other.instance.id).pid}/mem`,
      join(theirs.data, "berth.db"),
      inData("builds", other.revision.id, "source", "graph.json"),
      rig.folders.filesOf(other.instance).log,
      rig.folders.filesOf(other.instance).ready,
      rig.folders.filesOf(one.instance).log,
    ];
    const list = [
      ...["", "deployments", "builds", "uploads"].map((name) => inData(name)),
      ...[theirs.root, theirs.data, theirs.home],
      rig.folders.of(one.deployment).root,
      inData("builds", other.revision.id),
    ];
    const write = [
      inData("new"),
      inData("deployments", "new"),
      join(rig.folders.of(one.deployment).root, "new"),
    ];
    const { outcome } = await look({ read, list, write });
    const tried = [...read, ...list, ...write];
    expect(Object.fromEntries(tried.map((path) => [path, outcome[path]]))).toEqual(
      Object.fromEntries(tried.map((path) => [path, "EACCES"])),
    );
  });

  test("read and write what is their own", async () => {
    const { data, home, temporary } = rig.folders.of(one.deployment);
    const source = inData("builds", one.revision.id, "source", "graph.json");
    const write = [join(data, "mine"), join(home, "mine"), join(temporary, "mine")];
    const { outcome } = await look({ read: [source], write });
    expect(outcome[source]).toStartWith("done: {");
    for (const path of write) expect(outcome[path]).toBe("done: undefined");
    expect(mode(join(data, "mine"))).toBe(0o600);
  });

  test("get no rights by a program that has them", async () => {
    const { outcome } = await look({ read: ["/proc/self/status"] });
    expect(outcome["/proc/self/status"]).toStartWith("done: ");
    const { pid } = rig.row(one.instance.id);
    const status = await Bun.file(`/proc/${pid}/status`).text();
    const hasSetpriv = ["/usr/bin/setpriv", "/bin/setpriv"].some((path) => existsSync(path));
    if (hasSetpriv) expect(status).toContain("NoNewPrivs:\t1");
    expect(/^CapEff:\s+(\S+)/m.exec(status)?.[1]).toMatch(/^0+$/);
  });

  test("go on with what they had when Berth was not root yet", async () => {
    const deployment = aDeployment();
    const { root, data } = rig.folders.of(deployment);
    mkdirSync(data, { recursive: true });
    const kept = join(data, "kept");
    writeFileSync(kept, "from before");
    const plain = 12_345;
    for (const path of [root, data, kept]) chownSync(path, plain, plain);
    for (const path of [root, data]) chmodSync(path, 0o700);
    const revision = aRevision(deployment);
    await built(rig, { ...deployment, uid: plain }, revision);
    chmodSync(inData("builds", revision.id), 0o700);
    const instance = anInstance(revision);
    rig.rows.set(instance.id, instance);
    await rig.driver.start({ deployment, revision, instance, secrets: [], standby: false });
    const it = { deployment, revision, instance, url: `http://127.0.0.1:${rig.row(instance.id).port}` };
    const { outcome } = await asked<Seen>(it, "/runs/wait", {
      assistant_id: "probe",
      // What is left behind carries no mark: only its user says whose it is.
      input: { read: [kept], list: [root], leave: ["env", "-i", "sleep", "300"] },
    });
    expect(outcome).toMatchObject({ [kept]: "done: from before", [root]: "EACCES" });
    expect(startTimeOf(Number(outcome.left))).toBeDefined();
    await rig.driver.removeAll(deployment);
    expect(startTimeOf(Number(outcome.left))).toBeUndefined();
  });

  test("cannot turn Berth's own writing and giving against others", async () => {
    const { folder, log } = rig.folders.filesOf(one.instance);
    const { data } = rig.folders.of(one.deployment);
    const victim = inData("secrets.key");
    const links = [`${join(folder, "link")} -> ${victim}`, `${join(data, "out")} -> ${rig.dataDir}`];
    const { outcome } = await look({ link: links });
    expect(outcome[links[0] ?? ""]).toBe("EACCES");
    expect(outcome[links[1] ?? ""]).toBe("done: undefined");
    await rig.isolation.users.give(data, one.deployment.uid);
    expect(statSync(victim).uid).toBe(0);
    expect(statSync(rig.dataDir).uid).toBe(0);
    expect(lstatSync(join(data, "out")).uid).toBe(one.deployment.uid);
    expect([lstatSync(log).uid, mode(log)]).toEqual([0, 0o600]);
    // A removal takes links away, and not what is behind them.
    await rig.driver.removeAll(one.deployment);
    expect(existsSync(data)).toBe(false);
    expect(existsSync(victim)).toBe(true);
    one = await started(rig, { deployment: aDeployment() });
  });
});

test("what an instance says of its port is believed only in a small plain file about itself", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-ready-"));
  const at = (name: string, text?: string) => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  const said = JSON.stringify({ pid: 7, port: 8_000 });
  expect(readReady(at("good", said), 7)).toBe(8_000);
  expect(readReady(at("missing"), 7)).toBeUndefined();
  expect(readReady(at("good"), 8)).toBeUndefined();
  for (const text of ["", "{", "[]", "null", '{"pid":7}', '{"pid":7,"port":"80"}', '{"pid":7,"port":70000}'])
    expect({ text, port: readReady(at("odd", text), 7) }).toEqual({ text, port: undefined });
  expect(readReady(at("big", said + " ".repeat(5_000)), 7)).toBeUndefined();
  symlinkSync(at("good"), at("link"));
  expect(readReady(at("link"), 7)).toBeUndefined();
  // One that waits for a writer must not keep Berth waiting.
  Bun.spawnSync(["mkfifo", at("pipe")]);
  expect(readReady(at("pipe"), 7)).toBeUndefined();
  expect(readReady(folder, 7)).toBeUndefined();
  rmSync(folder, { recursive: true });
});

describe("where users of their own cannot be", () => {
  testUnless(notRoot)("a closed folder on the way to the data is told", () => {
    const closed = mkdtempSync(join(tmpdir(), "berth-closed-"));
    const dataDir = join(closed, "data");
    mkdirSync(dataDir);
    chmodSync(closed, 0o700);
    const { users, warning } = prepareIsolation({ dataDir });
    rmSync(closed, { recursive: true });
    expect(users.isolated).toBe(false);
    expect(warning).toContain(closed);
    expect(users.uidOf({ uid: 40_001 })).toBeNull();
  });

  testUnless(notApart)("a program that only its owner can read is copied", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-copy-"));
    const hidden = mkdtempSync(join(tmpdir(), "berth-hidden-"));
    // A script stands for the compiled program. What it starts is the copy where Bun's own place is closed, too.
    const readable = prepareIsolation({ dataDir });
    const own = readable.executable
      .berth([])
      .command.map((part) => `'${part}'`)
      .join(" ");
    const file = join(hidden, "berth");
    writeFileSync(file, `#!/bin/sh\nexec ${own} "$@"\n`, { mode: 0o700 });
    const { users, executable, warning } = prepareIsolation({ dataDir }, { file, sources: null });
    const [copy = ""] = executable.berth([]).command;
    expect({ isolated: users.isolated, warning }).toEqual({ isolated: true, warning: null });
    expect(copy).toStartWith(join(dataDir, "runtime"));
    expect(mode(copy)).toBe(0o755);
    expect(executable.bun(["install"])).toEqual({ command: [copy, "install"], env: { BUN_BE_BUN: "1" } });
    for (const folder of [dataDir, hidden]) rmSync(folder, { recursive: true });
  });

  testUnless(because(!notRoot, "needs somebody who is not root"))("whoever is not root is told so", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-plain-"));
    const { users, warning } = prepareIsolation({ dataDir });
    rmSync(dataDir, { recursive: true });
    expect(users.isolated).toBe(false);
    expect(warning).toContain("does not run as root");
  });
});
