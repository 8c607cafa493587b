import { expect, test } from "bun:test";
import { Changes, Outbox, type RevisionStatus, Revisions, Sessions, Subscriptions } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { ELSEWHERE, HERE, startControlStore } from "./control-store.ts";

const PUBLIC_URL = "https://berth.test";
const TYPES = ["deployment.revision.deployed", "deployment.revision.failed", "deployment.revision.restarted"];
const all = { limit: 100, offset: 0 };

everyStore("events of revisions", (open) => {
  const start = async () => {
    const store = await startControlStore(open);
    const { db, clock, box } = store;
    const outbox = new Outbox(db, clock, box, { publicUrl: PUBLIC_URL, backoff: () => 1_000 });
    const revisions = new Revisions(db, clock, box, outbox);
    const subscriptions = new Subscriptions(db, clock, box);
    let rings = 0;
    outbox.onRing(() => {
      rings += 1;
    });
    const subscribe = async (of: { event_types?: string[]; session_id?: string } = {}, workspace = HERE) => {
      const wanted = { url: "https://example.com/hook", severity_threshold: 0, ...of };
      return (await subscriptions.create(workspace, wanted)).subscription.id;
    };
    const told = async (subscriptionId?: string) =>
      (await outbox.list(HERE, { subscriptionId }, all)).reverse().map(({ body }) => JSON.parse(body));
    const walk = async (id: string, ...way: RevisionStatus[]) => {
      for (const [at, from] of way.entries()) {
        const to = way[at + 1];
        if (to) expect(await revisions.move(id, from, to, { message: `it is ${to}` })).toBeDefined();
      }
    };
    const { deployment, revision } = await store.create();
    const activate = async () => {
      const of = { deployment_id: deployment.id, revision_id: revision.id, driver: "process" as const };
      return revisions.activate(revision.id, (await store.instances.create(of)).id);
    };
    const newest = async () => {
      clock.advance(1);
      const { revision: next } = await store.deployments.patch(HERE, deployment.id, { always: true });
      return next?.id ?? "";
    };
    return {
      ...{ ...store, outbox, revisions, subscribe, told, walk, deployment, revision, activate, newest },
      rings: () => rings,
    };
  };

  test("going live is told with all that is known, to those that asked for it", async () => {
    const { db, clock, subscribe, told, walk, deployment, revision, activate, rings } = await start();
    const asked = await subscribe({ event_types: TYPES });
    await subscribe();
    await subscribe({ event_types: TYPES }, ELSEWHERE);
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    expect([await told(), rings()]).toEqual([[], 0]);
    expect(await activate()).toBe(true);
    const [event, ...others] = await told(asked);
    expect(others).toEqual([]);
    expect(await told()).toEqual([event]);
    const { name: tenant_name } = await db.read
      .selectFrom("workspaces")
      .select("name")
      .where("id", "=", HERE)
      .executeTakeFirstOrThrow();
    expect(event).toEqual({
      id: expect.any(String),
      type: "deployment.revision.deployed",
      created: Math.floor(clock.now() / 1_000),
      request_id: expect.any(String),
      data: {
        object: {
          ...{ deployment_id: deployment.id, deployment_name: "agent", source: "internal_template" },
          ...{ revision_id: revision.id, revision_number: 1, status: "DEPLOYED" },
          ...{ tenant_id: HERE, tenant_name },
          url: `${PUBLIC_URL}/console/deployments/${deployment.id}/revisions`,
          custom_url: `${PUBLIC_URL}/d/${deployment.id}`,
          occurred_at: new Date(clock.now()).toISOString(),
        },
      },
    });
    expect(rings()).toBe(1);
  });

  test("what failed is told with its reason, once for each way to fail; going back to one that was live, too", async () => {
    const { subscribe, told, walk, revision, activate, newest } = await start();
    await subscribe({ event_types: TYPES });
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    await activate();
    await walk(await newest(), "CREATING", "CREATE_FAILED");
    await walk(await newest(), "CREATING", "AWAITING_BUILD", "BUILDING", "BUILD_FAILED");
    await walk(await newest(), "CREATING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOY_FAILED");
    await walk(revision.id, "DEPLOYED", "DEPLOYING");
    await activate();
    const seen = (await told()).map(({ type, data: { object } }) => [
      type.split(".").at(-1),
      object.status,
      object.revision_number,
      object.error_message,
    ]);
    expect(seen).toEqual([
      ["deployed", "DEPLOYED", 1, undefined],
      ["failed", "CREATE_FAILED", 2, "it is CREATE_FAILED"],
      ["failed", "BUILD_FAILED", 3, "it is BUILD_FAILED"],
      ["failed", "DEPLOY_FAILED", 4, "it is DEPLOY_FAILED"],
      ["deployed", "DEPLOYED", 1, undefined],
    ]);
  });

  test("nothing is told of what was stopped, or of a runtime that was silent for a while", async () => {
    const { subscribe, told, walk, revision, activate, newest } = await start();
    await subscribe({ event_types: TYPES });
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    await activate();
    await walk(revision.id, "DEPLOYED", "UNKNOWN", "DEPLOYED");
    await walk(await newest(), "CREATING", "AWAITING_DEPLOY", "INTERRUPTED");
    await walk(await newest(), "CREATING", "QUEUED", "SKIPPED");
    expect(await told()).toHaveLength(1);
  });

  test("a subscription to one tracing project hears of that deployment only", async () => {
    const { db, clock, subscribe, told, walk, deployment, revision, activate } = await start();
    const sessions = new Sessions(db, clock);
    const own = await sessions.ensure(HERE, "agent", { deploymentId: deployment.id });
    const other = await sessions.ensure(HERE, "other");
    const [mine, others] = [
      await subscribe({ event_types: TYPES, session_id: own.id }),
      await subscribe({ event_types: TYPES, session_id: other.id }),
    ];
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    await activate();
    const [event] = await told(mine);
    expect(event.data.object).toMatchObject({ session_id: own.id, session_name: "agent" });
    expect(await told(others)).toEqual([]);
  });

  test("what was not activated after all is not told", async () => {
    const { subscribe, told, revision, revisions } = await start();
    await subscribe({ event_types: TYPES });
    expect(await revisions.activate(revision.id, "no such instance")).toBe(false);
    expect(await told()).toEqual([]);
  });

  test("one that ends again and again has failed, and is live again when it has stayed up", async () => {
    const { revisions, subscribe, told, walk, revision, activate, rings } = await start();
    const asked = await subscribe({ event_types: TYPES });
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    expect(await revisions.keepsEnding(revision.id, "It ended.")).toBeUndefined();
    await activate();
    const before = rings();
    const loop = await revisions.keepsEnding(revision.id, "It ended.");
    expect(loop).toMatchObject({ wentBackTo: null, isNew: true });
    expect(rings()).toBe(before + 1);
    expect(await revisions.keepsEnding(revision.id, "It ended.")).toBeUndefined();
    expect(await revisions.move(revision.id, "DEPLOY_FAILED", "DEPLOYED")).toBeDefined();
    const events = (await told(asked)).map(({ type, data: { object } }) => [type, object.error_message]);
    expect(events).toEqual([
      ["deployment.revision.deployed", undefined],
      ["deployment.revision.failed", loop?.message],
      ["deployment.revision.deployed", undefined],
    ]);
  });

  test("going back to the one before is one step, and happens to no deployment that is deleted", async () => {
    const { clock, revisions, deployments, walk, deployment, revision, activate, newest, instances } =
      await start();
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    await activate();
    const second = await newest();
    await walk(second, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    const of = { deployment_id: deployment.id, revision_id: second, driver: "process" as const };
    clock.advance(1);
    expect(await revisions.activate(second, (await instances.create(of)).id)).toBe(true);
    expect(await revisions.keepsEnding(revision.id, "It ended.")).toBeUndefined();
    expect(await revisions.keepsEnding(second, "It ended.")).toMatchObject({
      wentBackTo: { id: revision.id, number: 1 },
      message: "It ended. Revision 1, which served before, takes its place.",
    });
    const statuses = [await revisions.find(revision.id), await revisions.find(second)];
    expect(statuses.map((one) => one?.status)).toEqual(["DEPLOYING", "DEPLOY_FAILED"]);
    expect(await revisions.keepsEnding(second, "It ended.")).toBeUndefined();
    await revisions.move(revision.id, "DEPLOYING", "DEPLOY_FAILED");
    await deployments.markDeleted(HERE, deployment.id);
    expect(await revisions.keepsEnding(second, "It ended.")).toBeUndefined();
  });

  test("a restart of what serves is told with its reason, of nothing else, and to those who follow", async () => {
    const { db, clock, revisions, subscribe, told, walk, revision, activate, rings } = await start();
    const asked = await subscribe({ event_types: ["deployment.revision.restarted"] });
    await walk(revision.id, "CREATING", "AWAITING_DEPLOY", "DEPLOYING");
    await revisions.restarted(revision.id, "too early");
    expect([await told(asked), (await revisions.find(revision.id))?.status_message]).toEqual([
      [],
      "it is DEPLOYING",
    ]);
    await activate();
    const before = rings();
    const { length } = await new Changes(db, clock).after(HERE, 0, 100);
    clock.advance(5_000);
    await revisions.restarted(revision.id, "It took too much");
    const [event, ...others] = await told(asked);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: "deployment.revision.restarted",
      data: {
        object: {
          ...{ revision_id: revision.id, status: "DEPLOYED", error_message: "It took too much" },
          occurred_at: new Date(clock.now()).toISOString(),
        },
      },
    });
    expect(rings()).toBe(before + 1);
    expect(await new Changes(db, clock).after(HERE, 0, 100)).toHaveLength(length + 1);
    expect(await revisions.find(revision.id)).toMatchObject({
      status: "DEPLOYED",
      status_message: "It took too much",
    });
  });
});
