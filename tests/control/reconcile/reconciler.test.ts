import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Changes, systemClock } from "@berth/store";
import {
  BUILD_RETENTION_MS,
  DEPLOY_LIMIT_MS,
  HANG_LIMIT_MS,
  MEMORY_LIMIT_MB,
  STOP_GRACE_MS,
} from "./parts.ts";
import { Rig } from "./rig.ts";

let rig: Rig;
// A busy machine is no failure.

beforeEach(async () => {
  rig = await Rig.open();
  await rig.begin();
});

afterEach(async () => {
  const wrongs = await rig.wrongs();
  await rig.close();
  expect(wrongs).toEqual([]);
});

/** A deployment that serves its first revision. */
async function served(name = "one", branch = "first") {
  const created = await rig.create(name, branch);
  await rig.settle();
  return created;
}

describe("a revision", () => {
  test("is prepared, built, started and serves", async () => {
    const { deployment, revision } = await rig.create("one", "main");
    await rig.settle();
    const changes = await new Changes(rig.db, systemClock).after(revision.workspace_id, 0, 100);
    const seen = changes.filter(({ revision_id }) => revision_id === revision.id).map(({ status }) => status);
    expect(seen).toEqual([
      "CREATING",
      "AWAITING_BUILD",
      "BUILDING",
      "AWAITING_DEPLOY",
      "DEPLOYING",
      "DEPLOYED",
    ]);
    expect(await rig.serving(deployment.id)).toBe("main");
    expect((await rig.owner.deployments.find(deployment.id))?.status).toBe("READY");
  });

  test.each([
    ["prepare", "CREATE_FAILED", "it is not there"],
    ["build", "BUILD_FAILED", "it does not compile"],
    ["full", "BUILD_FAILED", "There is no room on the server's disk"],
    ["start", "DEPLOY_FAILED", "It ended with 1"],
    ["health", "DEPLOY_FAILED", "Timeout: Deployment is not ready after 300 seconds."],
  ] as const)("that fails at %s says why, and the one before serves on", async (fault, status, message) => {
    const { deployment } = await served();
    rig.world.faults.set("broken", fault);
    const broken = await rig.push(deployment.id, "broken");
    await rig.settle();
    expect(await rig.revision(broken.id)).toMatchObject({ status, status_message: message });
    expect(await rig.serving(deployment.id)).toBe("first");
    const { lines } = await rig.owner.logs.read({
      deploymentId: deployment.id,
      revisionId: broken.id,
      kind: status === "DEPLOY_FAILED" ? "deploy" : "build",
      order: "desc",
      limit: 1,
    });
    expect(lines).toMatchObject([{ level: "ERROR", message }]);
  });

  test("that was being deployed when Berth ended has its whole time again", async () => {
    const { deployment } = await served();
    rig.world.faults.set("slow", "health");
    const slow = await rig.push(deployment.id, "slow");
    await rig.until("it to start", async () => (await rig.status(slow.id)) === "DEPLOYING");
    await rig.stop();
    rig.world.turn(2 * DEPLOY_LIMIT_MS);
    rig.world.faults.delete("slow");
    await rig.begin();
    await rig.settle();
    expect(await rig.revision(slow.id)).toMatchObject({ status: "DEPLOYED", status_message: null });
    expect(await rig.serving(deployment.id)).toBe("slow");
  });

  test("at which Berth itself ends again and again is given up", async () => {
    const { deployment } = await served();
    rig.world.faults.set("fatal", "health");
    const fatal = await rig.push(deployment.id, "fatal");
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await rig.until("it to begin", async () => (await rig.revision(fatal.id))?.step?.attempt === attempt);
      await rig.until("it to start", async () =>
        rig.world.of(deployment.id).some(({ name }) => name === "fatal"),
      );
      await rig.begin();
    }
    await rig.settle();
    expect(await rig.revision(fatal.id)).toMatchObject({
      status: "DEPLOY_FAILED",
      status_message: expect.stringContaining("begun 3 times"),
    });
    expect(await rig.serving(deployment.id)).toBe("first");
    expect(await rig.wrongs()).toEqual([]);
  });

  test("waits while another one is made, and of those that wait only the newest goes on", async () => {
    const { deployment, revision } = await rig.create("one", "first");
    await rig.until("it is built", async () => (await rig.status(revision.id)) === "BUILDING");
    const second = await rig.push(deployment.id, "second");
    await rig.until("the second waits", async () => (await rig.status(second.id)) === "QUEUED");
    const third = await rig.push(deployment.id, "third");
    await rig.settle();
    expect(await rig.status(revision.id)).toBe("DEPLOYED");
    expect(await rig.status(second.id)).toBe("SKIPPED");
    expect(await rig.status(third.id)).toBe("DEPLOYED");
    expect(await rig.serving(deployment.id)).toBe("third");
  });

  test("of another deployment does not wait, but no more than four are built at once", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f"]) await rig.create(name, name);
    let most = 0;
    await rig.until("all serve", async () => {
      const revisions = await rig.owner.revisions.inFlight();
      most = Math.max(most, revisions.filter(({ status }) => status === "BUILDING").length);
      return revisions.length === 0;
    });
    expect(most).toBe(4);
    await rig.settle();
    expect(rig.world.processes.size).toBe(6);
  });

  test("that is interrupted leaves nothing, whatever it was at", async () => {
    const { deployment } = await served();
    for (const status of ["CREATING", "BUILDING", "DEPLOYING"]) {
      const revision = await rig.push(deployment.id, `at-${status}`);
      await rig.until(`it is ${status}`, async () => {
        const now = await rig.revision(revision.id);
        return now?.status === status && (now.step !== null || status === "DEPLOYING");
      });
      await rig.interrupt(revision);
      await rig.settle();
      expect(await rig.status(revision.id)).toBe("INTERRUPTED");
      expect(await rig.serving(deployment.id)).toBe("first");
    }
  });
});

describe("a container whose engine falls silent", () => {
  test("makes its revision UNKNOWN until the engine speaks again", async () => {
    const { deployment, revision } = await rig.createImage("one", "image");
    await rig.settle();
    expect(await rig.status(revision.id)).toBe("DEPLOYED");
    rig.world.isSilent = true;
    await rig.until("it is unknown", async () => (await rig.status(revision.id)) === "UNKNOWN");
    expect(await rig.serving(deployment.id)).toBe("image");
    rig.world.isSilent = false;
    await rig.until("it is known", async () => (await rig.status(revision.id)) === "DEPLOYED");
  });

  test("while it starts is gone on with when the engine speaks again", async () => {
    const { deployment, revision } = await rig.createImage("one", "image");
    rig.world.faults.set("image", "health");
    await rig.until("it has a port", async () => {
      const [instance] = await rig.owner.instances.ofDeployment(deployment.id);
      return instance !== undefined && instance.port !== null;
    });
    const running = rig.world.of(deployment.id).map(({ pid }) => pid);
    rig.world.isSilent = true;
    await rig.begin();
    await rig.until("it is unknown", async () => (await rig.status(revision.id)) === "UNKNOWN");
    rig.world.isSilent = false;
    rig.world.faults.clear();
    await rig.settle();
    expect(await rig.status(revision.id)).toBe("DEPLOYED");
    expect(rig.world.of(deployment.id).map(({ pid }) => pid)).toEqual(running);
  });
});

describe("a deployment", () => {
  test("goes back to an earlier revision without a build, and five builds are kept for it", async () => {
    const { deployment, revision: first } = await served("one", "1");
    const second = await rig.push(deployment.id, "2");
    await rig.settle();
    await rig.redeploy(first);
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBe("1");
    expect((await rig.owner.deployments.find(deployment.id))?.active_revision_id).toBe(first.id);
    for (const name of ["3", "4", "5", "6", "7"]) {
      await rig.push(deployment.id, name);
      await rig.settle();
    }
    expect((await rig.revision(second.id))?.build_kept).toBe(false);
    await expect(rig.redeploy(second)).rejects.toThrow();
    expect(rig.world.folders.size).toBeLessThanOrEqual(6);
  });

  test("keeps builds that were replaced for a time, and the one that serves for ever", async () => {
    const { deployment, revision: first } = await served("one", "1");
    const second = await rig.push(deployment.id, "2");
    await rig.settle();
    await rig.tidy();
    expect((await rig.revision(first.id))?.build_kept).toBe(true);
    rig.world.now += BUILD_RETENTION_MS + 60_000;
    await rig.tidy();
    expect((await rig.revision(first.id))?.build_kept).toBe(false);
    expect((await rig.revision(second.id))?.build_kept).toBe(true);
    expect(rig.world.folders.size).toBe(1);
  });

  test("is started again with longer and longer pauses when its process dies", async () => {
    const { deployment } = await served();
    const pauses: number[] = [];
    for (let death = 0; death < 8; death += 1) {
      for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
      const before = rig.world.now;
      await rig.until("it runs again", async () => (await rig.serving(deployment.id)) !== undefined);
      // It is looked at four times a second, and takes half a second to start.
      pauses.push(Math.floor((rig.world.now - before) / 1_000 / 2) * 2);
      await rig.settle();
    }
    expect(pauses).toEqual([0, 2, 4, 8, 16, 32, 60, 60]);
    const [instance] = await rig.owner.instances.live();
    expect(instance?.restarts).toBe(8);
    for (let turn = 0; turn < 1_300; turn += 1) await rig.turn();
    for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
    const before = rig.world.now;
    await rig.until("it runs again", async () => (await rig.serving(deployment.id)) !== undefined);
    expect(rig.world.now - before).toBeLessThan(3_000);
    await rig.settle();
  });

  test("is ended and started again when its process answers nobody any more, and not before its time", async () => {
    const { deployment } = await served();
    const pidOf = () => rig.world.of(deployment.id)[0]?.pid ?? 0;
    const first = pidOf();
    const turnFor = async (ms: number) => {
      for (const until = rig.world.now + ms; rig.world.now < until; ) await rig.turn();
    };
    await turnFor(60_000);
    rig.world.hanging.add(first);
    await turnFor(HANG_LIMIT_MS - 10_000);
    rig.world.hanging.delete(first);
    await turnFor(20_000);
    expect(pidOf()).toBe(first);
    rig.world.hanging.add(first);
    const before = rig.world.now;
    await rig.until("another process", async () => pidOf() !== first && pidOf() !== 0);
    expect(rig.world.now - before).toBeGreaterThanOrEqual(HANG_LIMIT_MS);
    expect(rig.world.now - before).toBeLessThan(HANG_LIMIT_MS + 25_000);
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBeDefined();
  });

  test("is started again when it takes more memory than it may, and others are left alone", async () => {
    const { deployment, revision } = await served();
    const { deployment: other } = await served("two", "second");
    const pidOf = (id: string) => rig.world.of(id)[0]?.pid ?? 0;
    const first = pidOf(deployment.id);
    const others = pidOf(other.id);
    for (const pid of [first, others]) rig.world.memory.set(pid, MEMORY_LIMIT_MB * 2 ** 20);
    for (let turn = 0; turn < 20; turn += 1) await rig.turn();
    expect(pidOf(deployment.id)).toBe(first);
    rig.world.memory.set(first, 600 * 2 ** 20);
    await rig.until("another process", async () => ![0, first].includes(pidOf(deployment.id)));
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBeDefined();
    expect(await rig.revision(revision.id)).toMatchObject({
      status: "DEPLOYED",
      status_message:
        "It took 600 MiB of memory, more than its limit of 512 MiB, and was ended; starting it again in 1 s",
    });
    expect([pidOf(other.id), rig.world.restarts]).toEqual([others, ["memory"]]);
  });

  test("that the system ended for its memory says so, and any other end is its own", async () => {
    const { deployment, revision } = await served();
    const die = async () => {
      for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
      await rig.until("it is noticed", async () => (await rig.serving(deployment.id)) === undefined);
      await rig.until("it runs again", async () => (await rig.serving(deployment.id)) !== undefined);
      await rig.settle();
    };
    await die();
    expect((await rig.revision(revision.id))?.status_message).toBeNull();
    const [instance] = await rig.owner.instances.live();
    rig.world.endedBySystem.add(instance?.id ?? "");
    await die();
    expect((await rig.revision(revision.id))?.status_message).toStartWith(
      "It took more than its limit of 512 MiB of memory, and the system ended it;",
    );
    expect(rig.world.restarts).toEqual(["ended", "memory"]);
  });

  test("has another token with each start of its process", async () => {
    const { deployment } = await served();
    const tokenOf = async () => (await rig.owner.instances.live())[0]?.token;
    const first = await tokenOf();
    for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
    await rig.until("it runs again", async () => (await rig.serving(deployment.id)) !== undefined);
    await rig.settle();
    const second = await tokenOf();
    expect(second).toBeString();
    expect(second).not.toBe(first);
    await rig.begin();
    await rig.settle();
    expect(await tokenOf()).toBe(second);
    await rig.stop();
    await rig.begin();
    await rig.settle();
    expect(await tokenOf()).not.toBe(second);
  });

  test("is started again soon when the clock was set back meanwhile", async () => {
    const { deployment } = await served();
    for (const { pid } of rig.world.of(deployment.id)) rig.world.processes.delete(pid);
    await rig.until("its death is known", async () => (await rig.owner.instances.live())[0]?.pid === null);
    rig.world.now -= 3_600_000;
    const before = rig.world.now;
    await rig.until("it runs again", async () => (await rig.serving(deployment.id)) !== undefined);
    expect(rig.world.now - before).toBeLessThan(3_000);
    await rig.settle();
  });

  test("that is deleted leaves nothing, and its name is free", async () => {
    const { deployment } = await served();
    await rig.push(deployment.id, "second");
    await rig.turn();
    await rig.delete(deployment.id);
    await rig.settle();
    expect(await rig.owner.deployments.find(deployment.id)).toBeUndefined();
    expect(rig.world.processes.size + rig.world.folders.size + rig.world.children.size).toBe(0);
    await served();
  });

  test("stops with Berth within the time for one, also while an older process takes all of it", async () => {
    const { deployment } = await served();
    for (const { pid } of rig.world.of(deployment.id)) rig.world.stubborn.add(pid);
    await rig.push(deployment.id, "second");
    await rig.until("the second serves", async () => (await rig.serving(deployment.id)) === "second");
    for (const { pid } of rig.world.of(deployment.id)) rig.world.stubborn.add(pid);
    await rig.turn();
    expect(rig.world.processes.size).toBe(2);
    const before = rig.world.now;
    await rig.stop();
    expect(rig.world.processes.size).toBe(0);
    expect(rig.world.now - before).toBeLessThan(STOP_GRACE_MS + 5_000);
    rig.world.stubborn.clear();
    await rig.begin();
    await rig.settle();
  });

  test("stops with Berth and runs again with it", async () => {
    const { deployment } = await served();
    const building = await rig.push(deployment.id, "second");
    await rig.until("it is built", async () => (await rig.status(building.id)) === "BUILDING");
    await rig.stop();
    expect(rig.world.processes.size + rig.world.children.size).toBe(0);
    await rig.begin();
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBe("second");
  });
});
