import { expect, test } from "bun:test";
import { DEFAULT_WORKSPACE, Keys, SignIns } from "@berth/store";
import { everyStore, standingClock } from "../every-store.ts";
import { firstPlan } from "../query-plan.ts";

const TTL = 1_000;

everyStore("sign-ins", (open) => {
  const start = async () => {
    const clock = standingClock();
    const db = await open();
    const signIns = new SignIns(db, clock);
    const signIn = (token_hash: string, key_id: string | null) =>
      signIns.create({ token_hash, key_id, workspace_id: DEFAULT_WORKSPACE.id, ttlMs: TTL });
    return { db, clock, signIns, signIn, keys: new Keys(db, clock) };
  };

  test("is found under either hash until its time is over, to the millisecond", async () => {
    const { clock, signIns, signIn } = await start();
    await signIn("one", null);
    const expires_at = clock.now() + TTL;
    const found = {
      key_id: null,
      workspace_id: DEFAULT_WORKSPACE.id,
      expires_at,
      scope: null,
      key_name: null,
    };
    expect(await signIns.find(["one", "two"])).toEqual(found);
    expect(await signIns.find(["two", "one"])).toEqual(found);
    expect(await signIns.find(["two", "three"])).toBeUndefined();
    clock.advance(TTL - 1);
    expect(await signIns.find(["one", "two"])).toEqual(found);
    clock.advance(1);
    expect(await signIns.find(["one", "two"])).toBeUndefined();
  });

  test("ends with the key that it was made with", async () => {
    const { keys, signIns, signIn } = await start();
    const { key } = await keys.create(DEFAULT_WORKSPACE.id, "laptop");
    await signIn("one", key.id);
    expect(await signIns.find(["one", "x"])).toMatchObject({ key_id: key.id, scope: "workspace" });
    await keys.delete(DEFAULT_WORKSPACE.id, key.id);
    expect(await signIns.find(["one", "x"])).toBeUndefined();
  });

  test("is gone when it is removed, and only it", async () => {
    const { signIns, signIn } = await start();
    await signIn("one", null);
    await signIn("two", null);
    await signIns.remove(["one", "x"]);
    expect(await signIns.find(["one", "x"])).toBeUndefined();
    expect(await signIns.find(["two", "x"])).toBeDefined();
  });

  test("a sweep forgets what is over and keeps the rest", async () => {
    const { db, clock, signIns, signIn } = await start();
    await signIn("old", null);
    clock.advance(TTL / 2);
    await signIn("young", null);
    clock.advance(TTL / 2);
    await signIns.sweep(clock.now());
    const rows = await db.read.selectFrom("sign_ins").select("token_hash").execute();
    expect(rows).toEqual([{ token_hash: "young" }]);
  });

  test("is looked up by key, however many there are", async () => {
    const { db, clock } = await start();
    if (db.sql.name !== "sqlite") return;
    const plan = await firstPlan(db, (recorded) => new SignIns(recorded, clock).find(["a", "b"]));
    expect(plan.join("\n")).not.toContain("SCAN");
  });
});
