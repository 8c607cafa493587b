import { expect, test } from "bun:test";
import { BadRequest, NotFound, type RevisionStatus } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { HERE, startControlStore, UNKNOWN_ID } from "./control-store.ts";

const all = { limit: 100, offset: 0 };

everyStore("revisions", (open) => {
  const start = async () => {
    const store = await startControlStore(open);
    const { deployment, revision } = await store.create();
    const again = async () => {
      store.clock.advance(1);
      const { revision: next } = await store.deployments.patch(HERE, deployment.id, { always: true });
      if (!next) throw new Error("no revision");
      return next;
    };
    return { ...store, deployment, first: revision, again };
  };

  test("move for one who asks, and take along what they are told", async () => {
    const { clock, revisions, first, deployments, deployment } = await start();
    clock.advance(5);
    const move = () =>
      revisions.move(first.id, "CREATING", "AWAITING_BUILD", { config: { repo_commit_sha: "abc" } });
    const moved = await Promise.all([move(), move(), move()]);
    expect(moved.map((revision) => revision?.status)).toEqual(["AWAITING_BUILD", undefined, undefined]);
    expect(moved[0]).toMatchObject({ status_since: clock.now(), config: { repo_commit_sha: "abc" } });
    // It is ready when a revision serves.
    expect((await deployments.get(HERE, deployment.id)).status).toBe("AWAITING_DATABASE");
    const build = { dir: "project", config_path: "graph.json" };
    await revisions.move(first.id, "AWAITING_BUILD", "BUILDING", { step: { pid: 1 }, message: "Installing" });
    expect(await revisions.find(first.id)).toMatchObject({ step: { pid: 1 }, status_message: "Installing" });
    const built = await revisions.move(first.id, "BUILDING", "AWAITING_DEPLOY", { build });
    expect(built).toMatchObject({ build, build_kept: true, step: null, status_message: null });
    expect(await revisions.move(UNKNOWN_ID, "CREATING", "QUEUED")).toBeUndefined();
    await revisions.buildGone(first.id);
    expect(await revisions.find(first.id)).toMatchObject({ build: null, build_kept: false });
  });

  test("never make a forbidden move, and are activated rather than moved to DEPLOYED", async () => {
    const { revisions, first } = await start();
    const forbidden: [RevisionStatus, RevisionStatus][] = [
      ["CREATING", "DEPLOYED"],
      ["BUILDING", "AWAITING_BUILD"],
      ["SKIPPED", "CREATING"],
      ["DEPLOYING", "DEPLOYED"],
    ];
    for (const [from, to] of forbidden) expect(await outcome(revisions.move(first.id, from, to))).toThrow();
    expect(await revisions.find(first.id)).toEqual(first);
  });

  test("are built and deployed one at a time", async () => {
    const { revisions, first, again, deploy } = await start();
    await revisions.note(first.id, { preparing: true });
    const second = await again();
    expect(await revisions.move(first.id, "CREATING", "AWAITING_BUILD")).toBeDefined();
    expect(await revisions.move(second.id, "CREATING", "AWAITING_DEPLOY")).toBeUndefined();
    expect(await revisions.move(second.id, "CREATING", "QUEUED")).toBeDefined();
    expect(await revisions.move(second.id, "QUEUED", "AWAITING_DEPLOY")).toBeUndefined();
    await revisions.move(first.id, "AWAITING_BUILD", "INTERRUPTED");
    expect(await revisions.move(second.id, "QUEUED", "AWAITING_DEPLOY")).toMatchObject({ number: 2 });
    const third = await again();
    expect((await revisions.inFlight()).map(({ id }) => id)).toEqual([second.id, third.id]);
    await revisions.move(second.id, "AWAITING_DEPLOY", "DEPLOYING");
    await revisions.move(second.id, "DEPLOYING", "DEPLOY_FAILED", { message: "no answer" });
    expect(await revisions.find(second.id)).toMatchObject({ status_message: "no answer", deployed_at: null });
    await deploy(third);
    expect(await revisions.inFlight()).toEqual([]);
  });

  test("supersede older ones that nobody began with", async () => {
    const { revisions, first, again, deployment, statuses } = await start();
    await revisions.note(first.id, { preparing: true });
    await again();
    expect(await statuses(deployment.id)).toEqual(["CREATING", "CREATING"]);
    const third = await again();
    expect(await statuses(deployment.id)).toEqual(["CREATING", "SKIPPED", "CREATING"]);
    await revisions.move(third.id, "CREATING", "QUEUED");
    await again();
    expect(await statuses(deployment.id)).toEqual(["CREATING", "SKIPPED", "SKIPPED", "CREATING"]);
    expect(await revisions.find(third.id)).toMatchObject({ status_message: "Superseded by revision 4." });
    expect(await revisions.note(third.id, { late: true })).toBe(false);
    expect(await revisions.note(UNKNOWN_ID, null)).toBe(false);
  });

  test("take over with their instance, in one step", async () => {
    const { revisions, instances, deployments, first, again, deploy, deployment, clock } = await start();
    const old = await deploy(first);
    const second = await again();
    for (const [from, to] of [
      ["CREATING", "AWAITING_DEPLOY"],
      ["AWAITING_DEPLOY", "DEPLOYING"],
    ] as const) {
      await revisions.move(second.id, from, to);
    }
    const wanted = { deployment_id: deployment.id, driver: "process" } as const;
    const fresh = await instances.create({ ...wanted, revision_id: second.id });
    expect(await revisions.activate(second.id, old.id)).toBe(false);
    expect(await revisions.activate(first.id, fresh.id)).toBe(false);
    expect((await deployments.get(HERE, deployment.id)).active_revision_id).toBe(first.id);
    clock.advance(1);
    expect(await Promise.all([1, 2].map(() => revisions.activate(second.id, fresh.id)))).toEqual([
      true,
      false,
    ]);
    expect((await deployments.get(HERE, deployment.id)).active_revision_id).toBe(second.id);
    expect(await revisions.find(second.id)).toMatchObject({ status: "DEPLOYED", deployed_at: clock.now() });
    const states = (await instances.ofDeployment(deployment.id)).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [fresh.id, "serving"],
      [old.id, "draining"],
    ]);
  });

  test("are not switched to once they are interrupted or their deployment is deleted", async () => {
    const { revisions, instances, deployments, first, deployment, create } = await start();
    const other = await create({ name: "other" });
    for (const revision of [first, other.revision]) {
      await revisions.move(revision.id, "CREATING", "AWAITING_DEPLOY");
      await revisions.move(revision.id, "AWAITING_DEPLOY", "DEPLOYING");
    }
    const instanceOf = ({ id, deployment_id }: typeof first) =>
      instances.create({ deployment_id, revision_id: id, driver: "process" });
    const mine = await instanceOf(first);
    const theirs = await instanceOf(other.revision);
    const asked = await revisions.requestInterrupt(HERE, deployment.id, first.id);
    expect(asked).toMatchObject({ status: "DEPLOYING", interrupt: true });
    expect(await revisions.activate(first.id, mine.id)).toBe(false);
    expect(await revisions.move(first.id, "DEPLOYING", "INTERRUPTED")).toMatchObject({ interrupt: false });
    await deployments.markDeleted(HERE, other.deployment.id);
    expect(await revisions.find(other.revision.id)).toMatchObject({ status: "DEPLOYING", interrupt: true });
    expect(await revisions.activate(other.revision.id, theirs.id)).toBe(false);
  });

  test("are interrupted at once when nobody began with them, and not when they are over", async () => {
    const { revisions, first, again, deployment, statuses } = await start();
    const interrupt = (id: string) => revisions.requestInterrupt(HERE, deployment.id, id);
    expect(await interrupt(first.id)).toMatchObject({
      status: "INTERRUPTED",
      status_message: "Interrupted.",
    });
    const refused = new BadRequest(`Revision ${first.id} cannot be interrupted: it is INTERRUPTED.`);
    expect(await outcome(interrupt(first.id))).toThrow(refused);
    expect(await outcome(interrupt(UNKNOWN_ID))).toThrow(
      new NotFound(`Revision ID ${UNKNOWN_ID} not found.`),
    );
    const second = await again();
    await revisions.note(second.id, { preparing: true });
    expect(await interrupt(second.id)).toMatchObject({ status: "CREATING", interrupt: true });
    expect(await statuses(deployment.id)).toEqual(["INTERRUPTED", "CREATING"]);
  });

  test("go back to one that was deployed before, and to no other", async () => {
    const { revisions, deployments, first, again, deploy, serve, deployment } = await start();
    const redeploy = (id: string) => revisions.redeploy(HERE, deployment.id, id);
    expect(await outcome(redeploy(first.id))).toThrow(
      `Revision ${first.id} cannot be redeployed: it is CREATING.`,
    );
    await deploy(first);
    const second = await again();
    expect(await outcome(redeploy(first.id))).toThrow(`revision ${second.id} is CREATING`);
    await deploy(second);
    const third = await again();
    await revisions.requestInterrupt(HERE, deployment.id, third.id);
    expect(await outcome(redeploy(third.id))).toThrow("never was DEPLOYED");
    expect(await outcome(redeploy(UNKNOWN_ID))).toThrow(NotFound);

    expect(await redeploy(first.id)).toMatchObject({ active_revision_id: second.id });
    expect(await revisions.find(first.id)).toMatchObject({
      status: "DEPLOYING",
      build_kept: true,
      step: { name: "deploy", attempt: 0, proven: true },
    });
    expect(await outcome(redeploy(second.id))).toThrow(`revision ${first.id} is DEPLOYING`);
    await serve(first);
    expect((await deployments.get(HERE, deployment.id)).active_revision_id).toBe(first.id);
    expect((await revisions.keptBuilds(deployment.id)).map(({ id }) => id)).toEqual([first.id, second.id]);

    await redeploy(second.id);
    await revisions.move(second.id, "DEPLOYING", "DEPLOY_FAILED");
    await redeploy(second.id);
    await revisions.move(second.id, "DEPLOYING", "INTERRUPTED");
    await redeploy(second.id);
    await serve(second);
    await revisions.buildGone(first.id);
    expect(await outcome(redeploy(first.id))).toThrow("its build is gone");
    expect((await deployments.get(HERE, deployment.id)).latest_revision_id).toBe(third.id);
  });

  test("come back from UNKNOWN to where they can have been", async () => {
    const { revisions, first, again, deploy } = await start();
    await deploy(first);
    expect(await revisions.move(first.id, "DEPLOYED", "UNKNOWN")).toBeDefined();
    expect(await revisions.move(first.id, "UNKNOWN", "DEPLOYED")).toMatchObject({ status: "DEPLOYED" });
    const second = await again();
    await revisions.move(second.id, "CREATING", "UNKNOWN");
    expect(await revisions.move(second.id, "UNKNOWN", "DEPLOYED")).toBeUndefined();
    expect(await revisions.move(second.id, "UNKNOWN", "DEPLOYING")).toBeDefined();
    expect(await revisions.move(second.id, "DEPLOYING", "DEPLOY_FAILED")).toBeDefined();
    // It was never deployed: there is nothing to go back to.
    expect(await revisions.move(second.id, "DEPLOY_FAILED", "DEPLOYING")).toBeUndefined();
  });

  test("are listed newest first, by status and by who reconciles them", async () => {
    const { revisions, first, again, deploy, deployment, create } = await start();
    await deploy(first);
    const second = await again();
    const third = await again();
    const ids = async (filter: Parameters<typeof revisions.list>[2], page = all, of = deployment.id) =>
      (await revisions.list(HERE, of, filter, page)).map(({ id }) => id);
    expect(await ids({})).toEqual([third.id, second.id, first.id]);
    expect(await ids({ statuses: ["DEPLOYED", "SKIPPED"] })).toEqual([second.id, first.id]);
    expect(await ids({ statuses: ["BUILDING"] })).toEqual([]);
    expect(await ids({}, { limit: 1, offset: 1 })).toEqual([second.id]);
    expect(await ids({ remoteReconciled: false }, { limit: 2, offset: 2 })).toEqual([first.id]);
    expect(await revisions.idsOf(deployment.id)).toEqual([first.id, second.id, third.id]);
    const remote = await create({
      name: "remote",
      source: "external_docker",
      source_config: { listener_id: UNKNOWN_ID },
      config: { image_uri: "image" },
    });
    expect(await ids({ remoteReconciled: true }, all, remote.deployment.id)).toEqual([remote.revision.id]);
    expect((await revisions.inFlight()).map(({ id }) => id)).toEqual([third.id]);
  });
});
