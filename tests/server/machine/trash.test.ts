import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Trash } from "../../../server/machine/trash.ts";
import { quickest } from "../../limits.ts";

const data = mkdtempSync(join(tmpdir(), "berth-trash-"));
const path = join(data, "tree");
const outside = join(data, "outside");
const trash = new Trash(data);
beforeEach(() => {
  mkdirSync(join(outside, "kept"), { recursive: true });
  mkdirSync(path, { recursive: true });
});
afterAll(() => rmSync(data, { recursive: true }));

const left = () => readdirSync(join(data, "trash"));

test("a tree goes, what its links lead to stays", async () => {
  mkdirSync(join(path, "a", "b"), { recursive: true });
  await Bun.write(join(path, "a", "b", "file"), "x");
  symlinkSync(outside, join(path, "a", "link"));
  symlinkSync(outside, join(path, "b"));
  await trash.remove(path);
  expect([existsSync(path), left(), readdirSync(outside)]).toEqual([false, [], ["kept"]]);
});

test("a link in the place of a tree goes, not what it leads to", async () => {
  rmSync(path, { recursive: true });
  symlinkSync(outside, path);
  await trash.remove(path);
  expect([readdirSync(data).includes("tree"), readdirSync(outside)]).toEqual([false, ["kept"]]);
});

test("what is not there is no error", async () => {
  rmSync(path, { recursive: true });
  await trash.remove(path);
  expect(left()).toEqual([]);
});

test("folders that may not be written to go, too", async () => {
  mkdirSync(join(path, "a", "b"), { recursive: true });
  chmodSync(join(path, "a", "b"), 0);
  chmodSync(join(path, "a"), 0o500);
  await trash.remove(path);
  expect(existsSync(path)).toBe(false);
});

/** Folders one in the other, far deeper than a path can say. */
function nest(depth: number): void {
  const outer = join(data, "outer");
  for (let at = 0; at < depth; at += 1) {
    mkdirSync(outer);
    renameSync(path, join(outer, "deeper"));
    renameSync(outer, path);
  }
}

test("thousands of folders, one in the other, hold nobody up", async () => {
  const removed = async () => {
    mkdirSync(path, { recursive: true });
    nest(3_000);
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    await trash.remove(path);
    clearInterval(beat);
    expect(existsSync(path)).toBe(false);
    return longest;
  };
  expect(await quickest(1_000, removed)).toBeLessThan(1_000);
});

test("what a crash left is removed later", async () => {
  mkdirSync(join(data, "trash", "left", "a", "b"), { recursive: true });
  await trash.empty();
  expect(left()).toEqual([]);
});
