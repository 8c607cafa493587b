import { afterAll, beforeAll, expect, test } from "bun:test";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Turns } from "@berth/store";
import { memberFolders } from "../../../server/control/build/member-folders.ts";
import { Users } from "../../../server/machine/users.ts";
import { failureOf, openRig, orderOf, type Rig } from "./rig.ts";

let rig: Rig;
beforeAll(() => {
  rig = openRig({ environment: { npm_config_registry: "http://127.0.0.1:9/" } });
});
afterAll(() => rig.remove());

const range = (length: number): number[] => Array.from({ length }, (_, at) => at);
const project = (workspaces: string[], folders: number): Record<string, string> =>
  Object.assign(
    { "graph.json": '{"graphs":{"agent":"./agent.ts:graph"}}', "agent.ts": "export const graph = 1;" },
    { "package.json": JSON.stringify({ name: "x", workspaces }) },
    Object.fromEntries(range(folders).map((at) => [`p${at}/package.json`, "{}"])),
  );

test("packages without a name count as members, whichever patterns find them", async () => {
  const globs = range(200).map((at) => `p*{,z${at}}`);
  const failure = await failureOf(rig, await orderOf(rig, project(globs, 1_001)));
  expect(failure).toBe("The workspace has more than 1000 members");
});

const tooMany: [what: string, globs: string[], message: string][] = [
  ["many patterns", range(201).map((at) => `p${at}`), "package.json has more than 200 workspace patterns"],
  ["a long pattern", ["p".repeat(501)], "has more than 500 characters"],
];
test.each(tooMany)("a workspace has no %s", async (_, globs, message) =>
  expect(await failureOf(rig, await orderOf(rig, project(globs, 1)))).toContain(message),
);

test("excluded files count as found, and installed packages do not", async () => {
  const root = mkdtempSync(join(tmpdir(), "berth-members-"));
  try {
    for (const folder of ["x/1", "x/2", "x/3", "a", "a/node_modules/1", "a/node_modules/2"]) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, "package.json"), "{}");
    }
    const search = { root, workspace: "", file: "package.json", installed: "node_modules" };
    const found = memberFolders(Object.assign({ globs: ["a/**", "a", "a"] }, search), 2);
    expect(await found).toEqual(["a"]);
    const excluded = memberFolders(Object.assign({ globs: ["x/*", "!x/*"] }, search), 2);
    expect(await excluded.catch(String)).toContain("find more than 2 files package.json");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("giving a project to its user yields to the event loop", async () => {
  if (!rig.isolated) return;
  const root = mkdtempSync(join(tmpdir(), "berth-give-"));
  let turns = 0;
  let isGiven = false;
  const count = () => {
    turns += 1;
    if (!isGiven) setImmediate(count);
  };
  try {
    for (const at of range(100)) writeFileSync(join(root, `${at}`), "");
    setImmediate(count);
    await new Users({ isolated: true }).give(root, 47_999, new Turns(0));
    expect(turns).toBeGreaterThan(50);
    expect([root, join(root, "99")].map((path) => lstatSync(path).uid)).toEqual([47_999, 47_999]);
  } finally {
    isGiven = true;
    rmSync(root, { recursive: true, force: true });
  }
});
