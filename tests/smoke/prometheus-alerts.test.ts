import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { because, testUnless } from "../skips.ts";
import { ROOT, run, temporaryFolder } from "./program.ts";

const RULES = join(ROOT, "docs", "prometheus-alerts.yml");
const CASES = join(import.meta.dir, "prometheus-alerts.yml");
const noPromtool = because(!Bun.which("promtool"), "promtool (Debian: prometheus) is not installed");

testUnless(noPromtool)("the alert rules fire when something is wrong, and only then", async () => {
  const folder = temporaryFolder();
  try {
    const cases = join(folder.path, "cases.yml");
    writeFileSync(cases, readFileSync(CASES, "utf8").replace("RULES", RULES));
    const checked = await run(["promtool", "check", "rules", RULES], folder.path);
    expect([checked.code, checked.err]).toEqual([0, ""]);
    const tested = await run(["promtool", "test", "rules", cases], folder.path);
    expect([tested.code, tested.out + tested.err]).toEqual([0, expect.stringContaining("SUCCESS")]);
  } finally {
    folder.remove();
  }
});

test("the cases name each alert", () => {
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
  const alerts = named(readFileSync(RULES, "utf8"), /^ +- alert: (\w+)$/gm);
  const wrong = readFileSync(CASES, "utf8").split("everything is wrong")[1] ?? "";
  expect(named(wrong, /alertname="(\w+)"/g)).toEqual(alerts);
});
