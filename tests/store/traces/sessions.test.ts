import { expect, test } from "bun:test";
import { createWorkspace, deleteWorkspace, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startTraceStore } from "./trace-store.ts";

everyStore("tracing projects", (open) => {
  test("there is one of a name in a workspace, however many ask for it at once", async () => {
    const { sessions } = await startTraceStore(open);
    const made = await Promise.all(Array.from({ length: 5 }, () => sessions.ensure(HERE, "twice")));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const theirs = await sessions.ensure(ELSEWHERE, "twice");
    expect(theirs.id).not.toBe(made[0]?.id ?? "");
    expect(await sessions.get(ELSEWHERE, theirs.id)).toEqual(theirs);
    expect(await outcome(sessions.get(HERE, theirs.id))).toThrow(NotFound);
  });

  test("what it belongs to can become known later", async () => {
    const { sessions, session } = await startTraceStore(open);
    const of = { deploymentId: "d1", ships: true };
    expect(await sessions.ensure(HERE, "agent", of)).toMatchObject({
      id: session.id,
      deployment_id: "d1",
      ships: true,
    });
    expect(await sessions.ensure(HERE, "agent")).toMatchObject({ deployment_id: "d1", ships: true });
  });

  test("they are listed newest first and found by a part of the name", async () => {
    const { sessions, clock } = await startTraceStore(open);
    for (const name of ["Support", "sales"]) {
      clock.advance(1);
      await sessions.ensure(HERE, name);
    }
    const names = async (filter: Parameters<typeof sessions.list>[1], page = { limit: 10, offset: 0 }) =>
      (await sessions.list(HERE, filter, page)).map(({ name }) => name);
    expect(await names({})).toEqual(["sales", "Support", "agent"]);
    expect(await names({}, { limit: 1, offset: 1 })).toEqual(["Support"]);
    expect(await names({ nameContains: "SUP" })).toEqual(["Support"]);
    expect(await names({ name: "agent" })).toEqual(["agent"]);
  });

  test("a deleted one is gone at once, its traces by and by, and its name can be had again", async () => {
    const { sessions, traces, session, run, db } = await startTraceStore(open);
    const id = await run({}, [{}]);
    expect(await outcome(sessions.delete(ELSEWHERE, session.id))).toThrow(NotFound);
    await sessions.delete(HERE, session.id);
    expect(await outcome(sessions.get(HERE, session.id))).toThrow(NotFound);
    expect((await sessions.ensure(HERE, "agent")).id).not.toBe(session.id);
    expect(await traces.sweep(1_000_000)).toBe(1);
    expect(await outcome(traces.get(HERE, id))).toThrow(NotFound);
    await traces.sweep(1_000_000);
    for (const table of ["traces", "spans"] as const) {
      expect(await db.read.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await db.read.selectFrom("sessions").selectAll().execute()).toHaveLength(1);
  });

  test("a workspace with one cannot be deleted, and can once it is deleted", async () => {
    const { sessions, db, clock } = await startTraceStore(open);
    const workspace = await createWorkspace(db, clock, "short-lived");
    const session = await sessions.ensure(workspace.id, "agent");
    expect(await outcome(deleteWorkspace(db, workspace.id))).toThrow("tracing projects");
    await sessions.delete(workspace.id, session.id);
    await deleteWorkspace(db, workspace.id);
  });
});
