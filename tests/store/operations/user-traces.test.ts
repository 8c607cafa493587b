import { expect, test } from "bun:test";
import { eraseUser, exportUser } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { startTraceStore } from "../traces/trace-store.ts";

everyStore("traces of a user's runs", (open) => {
  test("are exported and erased by the owner that the metadata of the run names", async () => {
    const { db, clock, run } = await startTraceStore(open);
    const alone = await run({ thread_id: "t1", metadata: { owner: "a%da" } }, []);
    const shared = await run({ thread_id: "t2", metadata: { user_id: "a%da" } }, []);
    const others = [
      await run({ thread_id: "t2", metadata: { user_id: "bob" } }, []),
      await run({ thread_id: "t3", metadata: { said: "a%da", owner: "bob" } }, []),
      await run({ thread_id: "t4", metadata: { owner: "axda" } }, []),
      await run({ thread_id: "t5", metadata: { owner: ["a%da"] } }, []),
    ];
    const exported: string[] = [];
    for await (const line of exportUser(db, "a%da")) exported.push(JSON.stringify(line));
    expect(exported).toHaveLength(2);
    for (const id of [alone, shared]) expect(exported.join("\n")).toContain(id);

    expect(await eraseUser(db, "a%da", clock.now())).toMatchObject({ threads: 0, traces: 2 });
    const kept = await db.read.selectFrom("traces").select("id").execute();
    expect(kept.map(({ id }) => id).sort()).toEqual(others.sort());
    // Late data of a stateless run does not come back; the thread that another user has runs on stays.
    const forgotten = await db.read.selectFrom("forgotten_threads").select("thread_id").distinct().execute();
    expect(forgotten).toEqual([{ thread_id: "t1" }]);
  });
});
