import { expect, test } from "bun:test";
import { BadRequest, type LogQuery, type NewLogLine } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { startControlStore, UNKNOWN_ID } from "./control-store.ts";

everyStore("the log of a revision", (open) => {
  const start = async () => {
    const store = await startControlStore(open);
    const { deployment, revision } = await store.create();
    const ids = { deployment_id: deployment.id, revision_id: revision.id };
    const line = (message: string, given: Partial<NewLogLine> = {}): NewLogLine => ({
      ...ids,
      kind: "deploy",
      at: store.clock.now(),
      level: "INFO",
      message,
      ...given,
    });
    const query = { deploymentId: deployment.id, kind: "deploy", order: "asc", limit: 100 } as const;
    const messages = async (given: Partial<LogQuery> = {}) =>
      (await store.logs.read({ ...query, ...given })).lines.map(({ message }) => message);
    return { ...store, deployment, revision, line, query, messages };
  };

  test("is read page by page in both directions, and followed from its end", async () => {
    const { logs, line, query } = await start();
    expect(await logs.read(query)).toEqual({ lines: [], next: "0" });
    await logs.append(["a", "b", "c", "d", "e"].map((message) => line(message)));
    const read = async (order: "asc" | "desc") => {
      const pages: string[] = [];
      let cursor: string | undefined;
      for (;;) {
        const { lines, next } = await logs.read({ ...query, order, limit: 2, cursor });
        pages.push(lines.map(({ message }) => message).join(""));
        if (lines.length === 0) return { pages, next };
        cursor = next;
      }
    };
    expect((await read("desc")).pages).toEqual(["ed", "cb", "a", ""]);
    const { pages, next } = await read("asc");
    expect(pages).toEqual(["ab", "cd", "e", ""]);
    await logs.append([line("f")]);
    const followed = await logs.read({ ...query, cursor: next });
    expect(followed.lines.map(({ message }) => message)).toEqual(["f"]);
    expect(await logs.read({ ...query, cursor: followed.next })).toEqual({ lines: [], next: followed.next });
    for (const cursor of ["x", "-1", "9".repeat(16)]) {
      expect(await outcome(logs.read({ ...query, cursor }))).toThrow(BadRequest);
    }
  });

  test("is filtered by what it is of, when it was said, how bad it is, and what it says", async () => {
    const { logs, line, messages, revision, create } = await start();
    const other = await create({ name: "other" });
    await logs.append([
      line("Starting", { at: 10 }),
      line("100% Wrong", { at: 20, level: "ERROR" }),
      line("built", { at: 30, kind: "build" }),
      line("older", { at: 40, revision_id: UNKNOWN_ID }),
      line("theirs", { deployment_id: other.deployment.id, revision_id: other.revision.id }),
    ]);
    expect(await messages()).toEqual(["Starting", "100% Wrong", "older"]);
    expect(await messages({ revisionId: revision.id })).toEqual(["Starting", "100% Wrong"]);
    expect(await messages({ revisionId: other.revision.id })).toEqual([]);
    expect(await messages({ kind: "build" })).toEqual(["built"]);
    expect(await messages({ from: 20, to: 20 })).toEqual(["100% Wrong"]);
    expect(await messages({ level: "ERROR" })).toEqual(["100% Wrong"]);
    expect(await messages({ text: "WRONG" })).toEqual(["100% Wrong"]);
    expect(await messages({ text: "%" })).toEqual(["100% Wrong"]);
  });

  test("never goes back in time, and never stands still for long", async () => {
    const { logs, line, query, clock, create } = await start();
    const now = clock.now();
    const follow = async (given: Partial<LogQuery> = {}) => {
      const { lines } = await logs.read({ ...query, ...given });
      return lines.map(({ at, message }) => ({ at, message }));
    };
    // Berth says at once what it has to say; what an instance printed is read a moment later.
    await logs.append([line("serves", { at: now })]);
    const printed = Array.from({ length: 300 }, (_, i) => line(String(i), { at: now - 500 }));
    await logs.append(printed);
    await logs.append([line("older of another kind", { at: now - 400, kind: "build" })]);
    const other = await create({ name: "other" });
    const theirs = { deployment_id: other.deployment.id, revision_id: other.revision.id, at: now - 300 };
    await logs.append([line("theirs", theirs)]);
    expect(await follow({ kind: "build" })).toEqual([{ at: now - 400, message: "older of another kind" }]);
    expect(await follow({ deploymentId: other.deployment.id })).toEqual([
      { at: now - 300, message: "theirs" },
    ]);
    // As released tools follow: again and again from the newest time that they saw, at most so many lines.
    const seen = new Set(["serves"]);
    for (let from = now, before = 0; seen.size > before; ) {
      before = seen.size;
      const lines = await follow({ from, limit: 20 });
      for (const { message } of lines) seen.add(message);
      from = lines.at(-1)?.at ?? from;
    }
    expect(seen.size).toBe(301);
    expect(Math.max(...(await follow({ limit: 1_000 })).map(({ at }) => at))).toBeLessThan(now + 100);
    // A clock that was wrong once is not followed for ever.
    await logs.append([line("far ahead", { at: now + 86_400_000 }), line("with it")]);
    clock.advance(1_000);
    await logs.append(Array.from({ length: 10 }, () => line("right again")));
    expect((await follow({ order: "desc", limit: 1 }))[0]?.at).toBe(clock.now());
  });

  test("is written together with how far its file was read", async () => {
    const { logs, line, instances, messages, deployment, revision } = await start();
    const wanted = { deployment_id: deployment.id, revision_id: revision.id, driver: "process" } as const;
    const { id } = await instances.create(wanted);
    await logs.append([line("a")], { instance: id, offset: 42 });
    expect(await instances.get(id)).toMatchObject({ log_offset: 42 });
    await logs.append([], { instance: id, offset: 50 });
    expect(await instances.get(id)).toMatchObject({ log_offset: 50 });
    expect(await messages()).toEqual(["a"]);
  });

  test("keeps no endless lines, nor old ones", async () => {
    const { logs, line, messages, clock } = await start();
    await logs.append([line("x".repeat(100_000)), line("new", { at: clock.now() + 86_400_000 })]);
    expect((await messages())[0]).toHaveLength(32_768);
    clock.advance(30 * 86_400_000);
    await logs.sweep();
    expect(await messages()).toHaveLength(2);
    clock.advance(1);
    await logs.sweep();
    expect(await messages()).toEqual(["new"]);
  });

  test("keeps the last 20,000 lines, and as many again of another kind", async () => {
    const { db, logs, line, query } = await start();
    // Postgres does the same, in ten times the time.
    if (db.sql.name !== "sqlite") return;
    const numbered = (count: number, of: Partial<NewLogLine>) =>
      Array.from({ length: count }, (_, i) => line(String(i), of));
    await logs.append(numbered(10_000, { kind: "build" }));
    await logs.append(numbered(15_000, {}));
    await logs.append(numbered(7_000, {}));
    const count = async (kind: "build" | "deploy") =>
      (await logs.read({ ...query, kind, limit: 100_000 })).lines.length;
    expect(await count("deploy")).toBe(20_000);
    expect(await count("build")).toBe(10_000);
    const { lines } = await logs.read({ ...query, limit: 1 });
    expect(lines[0]?.message).toBe("2000");
    for (let i = 0; i < 999; i++) await logs.append([line("small")]);
    expect(await count("deploy")).toBe(20_999);
    await logs.append([line("small")]);
    expect(await count("deploy")).toBe(20_000);
  });
});
