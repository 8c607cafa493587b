import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../store/migrations/index.ts";
import { hashOf, LIST, listText, migrationFiles, readLanded } from "../runner/landed.ts";

test("the list of migrations has every file of the folder (bun run land writes it)", () => {
  expect(Object.keys(migrations)).toEqual(migrationFiles());
  expect(readFileSync(LIST, "utf8")).toBe(listText());
});

test("every migration is recorded as landed, in its order", () => {
  expect(Object.keys(readLanded())).toEqual(Object.keys(migrations));
});

test.each(Object.entries(readLanded()))("%s has not changed since it landed", (name, hash) => {
  // A database out there has run it as it was: put the change into a new migration behind it.
  expect(hashOf(name)).toBe(hash);
});

test("a changed file has another hash", () => {
  const text = readFileSync(join(import.meta.dir, "../../store/migrations/0001-agent-server.ts"), "utf8");
  expect(new Bun.CryptoHasher("sha256").update(`${text} `).digest("hex")).not.toBe(
    hashOf("0001-agent-server"),
  );
});
