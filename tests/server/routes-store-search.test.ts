import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Items, openDatabase, systemClock } from "@berth/store";
import { storeRoutes } from "../../server/agent/store.ts";
import { databaseUrl } from "../postgres/for-data.ts";
import { call, httpApp } from "./http-app.ts";

const folder = await mkdtemp(join(tmpdir(), "berth-routes-"));
const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let fails = false;
const embed = async (texts: string[]) => {
  if (fails) throw new Error("key sk-secret is wrong");
  return texts.map((text) => [text.length, 1]);
};
const items = new Items(db, systemClock, {
  embedder: { model: "length/2", dims: 2, fields: ["text"], embed },
});
const { app } = httpApp({ operations: () => storeRoutes({ items }) });

const send = (method: string, path: string, body: object) =>
  call(app, path, { method, body: JSON.stringify(body) });
const put = (key: string, text: string, more: object = {}) =>
  send("PUT", "/store/items", { namespace: ["n"], key, value: { text }, ...more });

test("an item says how near it is, and one without a vector that it is not", async () => {
  expect((await put("short", "a")).status).toBe(204);
  expect((await put("long", "a".repeat(50), { index: null })).status).toBe(204);
  expect((await put("none", "a", { index: false })).status).toBe(204);
  const answer = await send("POST", "/store/items/search", { namespace_prefix: ["n"], query: "b" });
  expect(answer.body).toMatchObject({
    items: [{ key: "short" }, { key: "long" }, { key: "none", score: null }],
  });
  const plain = await send("POST", "/store/items/search", { namespace_prefix: ["n"], query: null });
  expect(plain.body).toMatchObject({ items: [{ score: null }, { score: null }, { score: null }] });
});

test("an embedding that fails is a 503 that tells no secret, and nothing is stored", async () => {
  fails = true;
  try {
    for (const answer of [
      await put("new", "text"),
      await send("POST", "/store/items/search", { namespace_prefix: ["n"], query: "b" }),
    ]) {
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({ detail: "the embedding model length/2 failed" });
    }
    expect(await items.get(["n"], "new")).toBeNull();
    expect((await put("plain", "text", { index: false })).status).toBe(204);
  } finally {
    fails = false;
  }
});

test("wrong paths of an index are refused", async () => {
  for (const index of [true, "text", [1], Array(101).fill("text")]) {
    expect((await put("k", "t", { index })).status).toBe(422);
  }
});
