import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { closed } from "../../server/access/index.ts";
import { Uuid } from "../../server/http/fields.ts";
import { operation } from "../../server/http/operation.ts";
import { call, httpApp } from "./http-app.ts";

const readThread = operation(
  {
    method: "GET",
    path: "/threads/:thread_id",
    access: closed,
    bodyLimit: "none",
    tag: "Threads",
    summary: "Get a thread",
    params: Type.Object({ thread_id: Uuid }),
    answers: {},
  },
  () => new Response("thread"),
);

describe("what is mounted later", () => {
  const waitsFor = (path: string) =>
    operation(
      { method: "GET", path, access: closed, bodyLimit: "none", tag: "Late", summary: "Late", answers: {} },
      () => new Response("late"),
    );

  test("is waited for; what is there answers at once, and what nobody has is missing afterwards", async () => {
    const { app: serving, table } = httpApp({ operations: () => [readThread] });
    const arrived = Promise.withResolvers<void>();
    const mounting = table.mountLater(async () => {
      await arrived.promise;
      table.mount([waitsFor("/late")]);
      return "made";
    });
    let isAnswered = false;
    const late = call(serving, "/late").finally(() => {
      isAnswered = true;
    });
    const nowhere = call(serving, "/nowhere");
    expect((await call(serving, "/threads/not-an-id")).status).toBe(422);
    expect(isAnswered).toBe(false);
    arrived.resolve();
    expect(await mounting).toBe("made");
    expect([(await late).status, (await late).body]).toEqual([200, "late"]);
    expect((await nowhere).status).toBe(404);
    expect((await call(serving, "/late")).status).toBe(200);
  });

  test("is nothing that a request would have come past before", async () => {
    const { table } = httpApp({ operations: () => [readThread] });
    const mounting = table.mountLater(async () => table.mount([waitsFor("/threads/late")]));
    await expect(mounting).rejects.toThrow("would take what is for /threads/late");
  });
});
