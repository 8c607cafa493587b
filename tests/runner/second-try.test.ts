import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./run.ts";
import type { Scene } from "./second-try-scene.ts";

// Within the root: a report names a file outside it by something that is no path.
const folder = mkdtempSync(join(ROOT, "node_modules", ".berth-second-try-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A test file whose `body` knows how often it was started: `tries`. */
function written(name: string, body: string): string {
  const path = join(folder, `${name}.test.ts`);
  const count = JSON.stringify(join(folder, `${name}.tries`));
  writeFileSync(
    path,
    `import { beforeAll, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(${count}, "x");
const tries = readFileSync(${count}, "utf8").length;
${body}`,
  );
  return relative(ROOT, path);
}

const CHANCE = `test("good", () => {}); test("chance", () => expect(tries).toBe(2));`;

/** Runs the runners, and gives how many tests failed, what `bun test` printed of them, and what the run told. */
async function played(...scenes: Scene[]) {
  const script = join(import.meta.dir, "second-try-scene.ts");
  const child = Bun.spawn([process.execPath, script, JSON.stringify(scenes)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, printed, failed] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const text = out.replaceAll(`${relative(ROOT, folder)}/`, "").trimEnd();
  return { failed, printed, text };
}

test("what passes alone is passed and named; what fails twice is failed; what passed does not run again", async () => {
  const files = [
    written("chance", CHANCE),
    written("always", `test("good", () => {}); test("bad", () => expect(tries).toBe(0));`),
    written("fine", `test("once", () => expect(tries).toBe(1));`),
  ];
  const engine = written(
    "engine",
    `test("engine", () => expect([tries, process.env.ENGINE]).toEqual([2, "b"]));`,
  );
  const { failed, printed, text } = await played(
    { name: "parts", files },
    { name: "parts, on b", files: [engine], env: { ENGINE: "b" } },
  );
  expect(failed).toBe(1);
  expect(printed).toMatch(/\(fail\) chance/);
  expect(text).toContain("── parts, second try: chance.test.ts\n");
  expect(text).toEndWith(`

Failed:
  parts: always.test.ts > bad

Passed only at the second try:
  parts: chance.test.ts > chance
  parts, on b: engine.test.ts > engine

parts: 4 passed, 1 failed (1 s)
parts, on b: 1 passed, 0 failed (1 s)
5 passed, 1 failed`);
});

test("a hook that failed took its tests with it: at the second try they count", async () => {
  const hook = `beforeAll(() => expect(tries).toBe(2)); test("one", () => {}); test("two", () => {});`;
  const { failed, text } = await played({ name: "parts", files: [written("hook", hook)] });
  expect(failed).toBe(0);
  expect(text).toContain("second try:\n  parts: hook.test.ts > (unnamed)\n");
  expect(text).toEndWith("\n2 passed, 0 failed");
});

test("a test that passed at first and fails alone is failed", async () => {
  const body = `test("one", () => expect(tries).toBe(2)); test("other", () => expect(tries).toBe(1));`;
  const { text } = await played({ name: "parts", files: [written("turns", body)] });
  expect(text).toContain("\nFailed:\n  parts: turns.test.ts > other\n");
  expect(text).toEndWith("\n1 passed, 1 failed");
});

test("where many files failed, it is no chance: none has a second try", async () => {
  const files = Array.from({ length: 6 }, (_, at) => written(`many-${at}`, CHANCE));
  const { failed, text } = await played({ name: "parts", files });
  expect(failed).toBe(6);
  expect(text).not.toContain("second try");
});

test("a fault of a runner has no second try: a file without a test, an exit code without a failure", async () => {
  const { failed, text } = await played(
    { name: "parts", files: [written("silent", ""), written("beside", CHANCE)] },
    { name: "others", files: [written("well", `test("well", () => {});`)], fault: "exit code 7" },
  );
  expect(failed).toBe(2);
  expect(text).toContain("parts: silent.test.ts: no test ran");
  expect(text).toContain("others: exit code 7");
  expect(text).toContain("second try:\n  parts: beside.test.ts > chance\n");
});

test("a second try that tells nothing leaves the first failure", async () => {
  const body = `if (tries === 2) process.exit(3); test("gone", () => expect(tries).toBe(3));`;
  const { text } = await played({ name: "parts", files: [written("gone", body)] });
  expect(text).toContain("parts: gone.test.ts > gone\n");
  expect(text).not.toContain("Passed only");
});
