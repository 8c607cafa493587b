import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SETTLE_MS } from "./parts.ts";
import { Rig } from "./rig.ts";

let rig: Rig;

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
async function served() {
  const created = await rig.create("one", "first");
  await rig.settle();
  return created;
}

/** Waits until the process of a revision answers. */
const answers = (name: string) =>
  rig.until(`${name} to answer`, async () =>
    (await rig.owner.instances.live()).some(
      ({ state, port }) => state === "ready" && rig.world.byPort(port)?.name === name,
    ),
  );

/** Ends every process of a revision. */
function end(name: string): void {
  for (const { pid, name: its } of rig.world.processes.values())
    if (its === name) rig.world.processes.delete(pid);
}

describe("a new revision", () => {
  test("that ends soon after its first answer never serves, and the one before goes on", async () => {
    const { deployment } = await served();
    const [serving] = await rig.owner.instances.live();
    const brief = await rig.push(deployment.id, "brief");
    await answers("brief");
    expect(await rig.status(brief.id)).toBe("DEPLOYING");
    end("brief");
    await rig.settle();
    const { status, status_message } = (await rig.revision(brief.id)) ?? {};
    expect([status, status_message]).toEqual([
      "DEPLOY_FAILED",
      expect.stringMatching(/^The process ended [\d.]+ s after it first answered\. .* stay up for 2 s\./),
    ]);
    expect((await rig.owner.instances.live()).map(({ id, restarts }) => [id, restarts])).toEqual([
      [serving?.id ?? "", 0],
    ]);
  });

  test("has to answer all the time for as long as it has to stay up", async () => {
    const { deployment } = await served();
    await rig.push(deployment.id, "second");
    await answers("second");
    for (let turn = 0; turn < 4; turn += 1) await rig.turn();
    rig.world.faults.set("second", "health");
    for (let turn = 0; turn < 20; turn += 1) await rig.turn();
    rig.world.faults.delete("second");
    const since = rig.world.now;
    await rig.until("it serves", async () => (await rig.serving(deployment.id)) === "second");
    expect(rig.world.now - since).toBeGreaterThanOrEqual(SETTLE_MS);
    await rig.settle();
  });

  test("holds up no others while it shows that it stays up, and one that served before has shown it", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await rig.create(name, name);
    await rig.until("all five answer", async () => rig.world.processes.size === 5);
    expect((await rig.owner.revisions.inFlight()).length).toBe(5);
    await rig.settle();
    const [first] = await rig.owner.instances.live();
    const revision = await rig.revision(first?.revision_id ?? "");
    if (!revision) throw new Error("it is gone");
    const before = rig.world.now;
    await rig.redeploy(revision);
    await rig.until("it serves", async () => (await rig.status(revision.id)) === "DEPLOYED");
    expect(rig.world.now - before).toBeLessThan(SETTLE_MS);
    await rig.settle();
  });

  test("that was showing that it stays up when Berth was killed goes on with its process", async () => {
    const { deployment } = await served();
    const second = await rig.push(deployment.id, "second");
    await answers("second");
    const pids = () => rig.world.of(deployment.id).map(({ pid }) => pid);
    const before = pids();
    await rig.begin();
    expect(await rig.status(second.id)).toBe("DEPLOYING");
    await rig.until("it serves", async () => (await rig.serving(deployment.id)) === "second");
    expect(pids()).toEqual(before);
    await rig.settle();
  });
});

describe("a revision that ends again and again while it serves", () => {
  /** It ends whenever it serves, until something else does. */
  async function loops(deploymentId: string, name: string, times = 3): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await rig.until("it runs", async () =>
        (await rig.owner.instances.live()).some(
          ({ state, port }) => state === "serving" && rig.world.byPort(port)?.name === name,
        ),
      );
      end(name);
      await rig.until("its end is known", async () => (await rig.serving(deploymentId)) === undefined);
    }
  }

  test("gives its place to the one before, by itself", async () => {
    const { deployment, revision: first } = await served();
    const second = await rig.push(deployment.id, "second");
    await rig.settle();
    await loops(deployment.id, "second", 2);
    expect(await rig.status(second.id)).toBe("DEPLOYED");
    await loops(deployment.id, "second", 1);
    await rig.until("the first serves", async () => (await rig.serving(deployment.id)) === "first");
    await rig.settle();
    expect(await rig.revision(second.id)).toMatchObject({
      status: "DEPLOY_FAILED",
      status_message:
        "It ended 3 times, each time within 5 minutes of its start. The last time: It ended by itself. Revision 1, which served before, takes its place.",
    });
    expect(await rig.revision(first.id)).toMatchObject({ status: "DEPLOYED", status_message: null });
    const { active_revision_id, latest_revision_id } =
      (await rig.owner.deployments.find(deployment.id)) ?? {};
    expect([active_revision_id, latest_revision_id, rig.world.loops]).toEqual([first.id, second.id, [true]]);
  });

  test("does so also when Berth is killed in the middle", async () => {
    const { deployment, revision: first } = await served();
    const second = await rig.push(deployment.id, "second");
    await rig.settle();
    await loops(deployment.id, "second");
    await rig.until("it goes back", async () => (await rig.status(first.id)) === "DEPLOYING");
    await rig.begin();
    await rig.settle();
    expect([await rig.status(first.id), await rig.status(second.id)]).toEqual(["DEPLOYED", "DEPLOY_FAILED"]);
    expect(await rig.serving(deployment.id)).toBe("first");
  });

  test("without one before has failed, is started on and on, and is well again when it stays up", async () => {
    const { deployment, revision } = await served();
    await loops(deployment.id, "first", 4);
    await rig.until("it runs", async () => (await rig.serving(deployment.id)) === "first");
    expect(await rig.revision(revision.id)).toMatchObject({
      status: "DEPLOY_FAILED",
      status_message: expect.stringContaining("there is none to go back to"),
    });
    expect(rig.world.loops).toEqual([false]);
    for (let turn = 0; turn < 1_300; turn += 1) await rig.turn();
    expect(await rig.revision(revision.id)).toMatchObject({ status: "DEPLOYED", status_message: null });
  });

  test("waits for a newer one that is under way, and goes back when that fails", async () => {
    const { deployment } = await served();
    const second = await rig.push(deployment.id, "second");
    await rig.settle();
    rig.world.faults.set("third", "hang");
    const third = await rig.push(deployment.id, "third");
    await rig.until("it is built", async () => (await rig.status(third.id)) === "BUILDING");
    await loops(deployment.id, "second");
    await rig.until("it is told", async () => (await rig.status(second.id)) === "DEPLOY_FAILED");
    expect((await rig.revision(second.id))?.status_message).toEndWith("until revision 3 is there.");
    await rig.interrupt(third);
    await loops(deployment.id, "second", 1);
    await rig.until("the first serves", async () => (await rig.serving(deployment.id)) === "first");
    await rig.settle();
    expect(rig.world.loops).toEqual([false, true]);
  });

  test("does not go back to one that failed when it was gone back to", async () => {
    const { deployment, revision: first } = await served();
    await rig.push(deployment.id, "second");
    await rig.settle();
    await rig.push(deployment.id, "third");
    await rig.settle();
    rig.world.faults.set("second", "start");
    await loops(deployment.id, "third", 5);
    await rig.until("it runs", async () => (await rig.serving(deployment.id)) === "third");
    await rig.settle();
    expect(await rig.status(first.id)).toBe("DEPLOYED");
    expect(rig.world.loops).toEqual([true]);
  });
});

describe("a look at rows that are old by the time somebody acts on them", () => {
  /** Time goes on while the supervisor holds the rows it has read. */
  const meanwhile = (what: string, holds: () => Promise<boolean>) =>
    new Promise<void>((looked) => {
      rig.world.betweenLookAndDeed = async () => {
        await rig.whileLooking(what, holds);
        looked();
      };
    });

  test("ends nothing that has begun to serve since", async () => {
    const { deployment, revision } = await rig.create("one", "first");
    await answers("first");
    const [{ pid } = { pid: null }] = await rig.owner.instances.live();
    const looked = meanwhile("it serves", async () => (await rig.status(revision.id)) === "DEPLOYED");
    await rig.turn();
    await looked;
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBe("first");
    expect((await rig.owner.instances.live()).map((one) => one.pid)).toEqual([pid]);
  });

  test("leaves alone what has woken since", async () => {
    const { deployment } = await served();
    const rowOf = async () => (await rig.owner.instances.live())[0];
    rig.world.sleepMs = 1_000;
    await rig.until("it sleeps", async () => (await rowOf())?.pid === null);
    rig.world.askedAt = Number.MAX_SAFE_INTEGER;
    await rig.owner.instances.wake(deployment.id);
    const pidOf = async () => (await rowOf())?.pid ?? null;
    await rig.until("it starts", async () => (await pidOf()) !== null);
    const pid = await pidOf();
    const isUp = async () => (await rowOf())?.asleep_since === null;
    const looked = meanwhile("it is up", isUp);
    await rig.turn();
    await looked;
    await rig.settle();
    expect(await rig.serving(deployment.id)).toBe("first");
    expect(await pidOf()).toBe(pid);
  });
});

test("a cluster that does not answer holds up nobody else", async () => {
  const { deployment: inCluster } = await served();
  const { deployment: other } = await rig.create("two", "second");
  await rig.settle();
  await rig.db.write((tx) =>
    tx
      .updateTable("instances")
      .set({ driver: "kubernetes" })
      .where("deployment_id", "=", inCluster.id)
      .execute(),
  );
  rig.world.clustersHang = true;
  end("second");
  await rig.until("it to be seen", async () => (await rig.serving(other.id)) === undefined);
  await rig.until("it to be started again", async () => (await rig.serving(other.id)) === "second");
});
