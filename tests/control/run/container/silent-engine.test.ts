import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openContainers } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-silent-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command is there, and what it talks to is not. */
writeFileSync(join(folder, "docker"), "#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 1\n");
chmodSync(join(folder, "docker"), 0o755);

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: Error) => error.message,
  );

/** What becomes of everything that is done with an instance. */
async function outcomes(path: string, container: string | null) {
  const { driver, launch, remove } = openContainers({ PATH: path });
  const one = launch("agent:1");
  const instance = { ...one.instance, container };
  const seen = {
    start: await outcome(driver.start(one)),
    isAlive: await outcome(driver.isAlive(instance)),
    stop: await outcome(driver.stop(instance, 0)),
    memory: await driver.memoryBytes(instance),
    sweep: await outcome(driver.sweepOrphans([instance])),
    removeAll: await outcome(driver.removeAll(one.deployment)),
  };
  remove();
  return seen;
}

test("an engine that does not answer leaves open whether a container runs, and nothing else waits for it", async () => {
  expect(await outcomes(folder, "docker:abc")).toMatchObject({
    start: expect.stringContaining("docker does not answer (Cannot connect to the daemon)"),
    isAlive: "Cannot connect to the daemon",
    stop: "Cannot connect to the daemon",
    memory: null,
    sweep: "done",
    removeAll: "done",
  });
  expect(await outcomes(folder, null)).toMatchObject({ isAlive: "done", stop: "done", removeAll: "done" });
});

test("without any engine only starting fails", async () => {
  expect(await outcomes("/nowhere", null)).toMatchObject({
    start: expect.stringContaining("docker or podman is not installed"),
    stop: "done",
    sweep: "done",
    removeAll: "done",
  });
});
