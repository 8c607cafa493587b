import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { DEFAULT_WORKSPACE, getWorkspace, hashSecret, Keys, listWorkspaces, NotFound } from "@berth/store";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

everyStore("keys and workspaces", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    return { db, clock, keys: new Keys(db, clock) };
  };

  test("the default workspace is there from the start", async () => {
    const { db } = await start();
    expect(await listWorkspaces(db)).toEqual([{ ...DEFAULT_WORKSPACE, created_at: expect.any(Number) }]);
    expect((await getWorkspace(db, DEFAULT_WORKSPACE.id)).name).toBe("default");
    expect(await outcome(getWorkspace(db, "none"))).toThrow(NotFound);
  });

  test("a secret is told once and kept as a hash only", async () => {
    const { db, keys } = await start();
    expect(await keys.any()).toBe(false);
    const { key, secret } = await keys.create(DEFAULT_WORKSPACE.id, "laptop");
    expect(secret).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
    expect(key.hint).toBe(secret.slice(0, 10));
    expect(await keys.any()).toBe(true);
    expect(await keys.list(DEFAULT_WORKSPACE.id)).toEqual([key]);
    const rows = await db.read.selectFrom("api_keys").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows[0]?.hash).toBe(createHash("sha256").update(secret).digest("hex"));
    expect(await keys.findByHash(hashSecret(secret))).toEqual(key);
    expect(await keys.findByHash(hashSecret(`${secret}x`))).toBeUndefined();
  });

  test("keys belong to a workspace that exists", async () => {
    const { keys } = await start();
    expect(await outcome(keys.create("none", "x"))).toThrow(NotFound);
    const { key } = await keys.create(DEFAULT_WORKSPACE.id, "x");
    expect(await keys.list("none")).toEqual([]);
    expect(await outcome(keys.delete("none", key.id))).toThrow(NotFound);
    await keys.delete(DEFAULT_WORKSPACE.id, key.id);
    expect(await outcome(keys.delete(DEFAULT_WORKSPACE.id, key.id))).toThrow(NotFound);
    expect(await keys.any()).toBe(false);
  });

  test("use is noted at most once a minute", async () => {
    const { keys, clock } = await start();
    const { key } = await keys.create(DEFAULT_WORKSPACE.id, "x");
    const lastUsed = async () => (await keys.list(DEFAULT_WORKSPACE.id))[0]?.last_used_at;
    expect(await lastUsed()).toBeNull();
    const first = clock.now();
    await keys.touch(key.id);
    clock.advance(59_999);
    await keys.touch(key.id);
    expect(await lastUsed()).toBe(first);
    clock.advance(1);
    await keys.touch(key.id);
    expect(await lastUsed()).toBe(first + 60_000);
  });
});
