import { expect, test } from "bun:test";
import { Deployments, QuotaReached, SecretBox, Traces, Uploads } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { startTraceStore } from "../traces/trace-store.ts";
import { ELSEWHERE, HERE, startControlStore } from "./control-store.ts";

everyStore("the quota of a workspace", (open) => {
  const wanted = (name: string) => ({
    name,
    source: "internal_source" as const,
    source_config: {},
    config: {},
    secrets: [],
  });

  test("limits its deployments, and no other's; a deleted one makes room", async () => {
    const { db, clock } = await startControlStore(open);
    const deployments = new Deployments(db, clock, new SecretBox("a passphrase"), 2);
    const { deployment } = await deployments.create(HERE, wanted("one"));
    await deployments.create(HERE, wanted("two"));
    const third = await outcome(deployments.create(HERE, wanted("three")));
    expect(third).toThrow(QuotaReached);
    expect(third).toThrow("The workspace has 2 deployments, which is its limit (WORKSPACE_MAX_DEPLOYMENTS)");
    expect(await deployments.list(HERE, {}, { limit: 10, offset: 0 })).toHaveLength(2);
    await deployments.create(ELSEWHERE, wanted("three"));
    expect(await deployments.mostOfAWorkspace()).toBe(2);
    await deployments.markDeleted(HERE, deployment.id);
    await deployments.create(HERE, wanted("three"));
  });

  test("limits its uploads that no revision uses, of all its deployments together", async () => {
    const { db, clock, create } = await startControlStore(open);
    const uploads = new Uploads(db, clock, 2);
    const [one, two, other] = [
      await create({ name: "one" }),
      await create({ name: "two" }),
      await create({ name: "other" }, ELSEWHERE),
    ];
    await uploads.issue(HERE, one.deployment.id);
    await uploads.issue(HERE, two.deployment.id);
    const third = await outcome(uploads.issue(HERE, one.deployment.id));
    expect(third).toThrow(QuotaReached);
    expect(third).toThrow("2 uploads that no revision uses, which is its limit (WORKSPACE_MAX_UPLOADS)");
    await uploads.issue(ELSEWHERE, other.deployment.id);
    expect(await uploads.mostOfAWorkspace()).toBe(2);
    // An address that was not used within its time takes no room.
    clock.advance(16 * 60_000);
    await uploads.issue(HERE, one.deployment.id);
  });

  test("removes its oldest traces beyond it, and no other's", async () => {
    const { db, clock, sessions, traces, run } = await startTraceStore(open);
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push(await run());
    const theirs = await sessions.ensure(ELSEWHERE, "agent");
    const other = await run({}, [], theirs);
    const kept = async (workspace: string) =>
      (await traces.search(workspace, { limit: 10 })).rows.map(({ id }) => id);
    const day = 86_400_000;
    expect(await traces.sweep(day)).toBe(0);
    expect(await traces.sweep(day, 3)).toBe(2);
    expect(await kept(HERE)).toEqual(ids.slice(2).reverse());
    expect(await new Traces(db, clock).sweep(day, 3)).toBe(0);
    expect(await kept(ELSEWHERE)).toEqual([other]);
  });
});
