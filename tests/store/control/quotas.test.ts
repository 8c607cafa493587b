import { expect, test } from "bun:test";
import { Deployments, DiskQuota, QuotaReached, SecretBox, Traces, Uploads } from "@berth/store";
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

  test("counts its folders and kept archives as disk, and refuses what would use more", async () => {
    const { db, clock, create } = await startControlStore(open);
    const refused = new Set<string>();
    const disk = new DiskQuota(db, 3_000_000, (id) => void refused.add(id));
    const uploads = new Uploads(db, clock, null, disk);
    const [mine, theirs] = [await create({ name: "mine" }), await create({ name: "theirs" }, ELSEWHERE)];
    expect(
      await disk.workspacesOf("deployments", [mine.deployment.id, theirs.deployment.id, Bun.randomUUIDv7()]),
    ).toEqual(
      new Map([
        [mine.deployment.id, HERE],
        [theirs.deployment.id, ELSEWHERE],
      ]),
    );
    expect(await disk.workspacesOf("revisions", [mine.revision.id])).toEqual(
      new Map([[mine.revision.id, HERE]]),
    );
    disk.setFolderBytes(HERE, 2_000_000);
    const [first, second] = [
      await uploads.issue(HERE, mine.deployment.id),
      await uploads.issue(HERE, mine.deployment.id),
    ];
    await uploads.open(first.token);
    await uploads.received(first.id, { bytes: 1_000_000, sha256: "x" });
    expect(await disk.mostOfAWorkspace()).toBe(3_000_000);
    const text =
      "The workspace uses 3 MiB of disk, and may use 3 MiB (WORKSPACE_MAX_DISK): delete data or deployments";
    for (const work of [uploads.issue(HERE, mine.deployment.id), uploads.open(second.token)]) {
      const answer = await outcome(work);
      expect(answer).toThrow(QuotaReached);
      expect(answer).toThrow(text);
    }
    expect(refused).toEqual(new Set([HERE]));
    await uploads.issue(ELSEWHERE, theirs.deployment.id);
    // Too many files to measure: full, whatever they use.
    disk.setFolderBytes(ELSEWHERE, null);
    const many = await outcome(uploads.issue(ELSEWHERE, theirs.deployment.id));
    expect(many).toThrow("The workspace has more files than Berth can measure, and may use 3 MiB");
    disk.retain(new Set([HERE]));
    await uploads.issue(ELSEWHERE, theirs.deployment.id);
    // The refusal used up no token.
    disk.setFolderBytes(HERE, 1_000_000);
    expect((await uploads.open(second.token))?.id).toBe(second.id);
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
