import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { because, describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { type Seen, seenThrough, withoutIds } from "../differential/seen.ts";

const PROJECT = join(import.meta.dir, "differential");

/** What the graphs do without Berth. */
function bare(): Record<string, Seen> {
  const { stdout, stderr, success } = Bun.spawnSync([testPython() ?? "", "bare.py"], { cwd: PROJECT });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

const reason = noPython ?? because(process.platform === "win32", "needs Unix");
const expected = reason === undefined ? bare() : {};

describeUnless(reason)("bare and through Berth the same", () => {
  let berth: BerthProcess;
  beforeAll(async () => {
    berth = await start({ project: PROJECT, env: { PYTHON: testPython() ?? "", EXECUTORS: "1" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  for (const [graph, { script, chunks, error, history }] of Object.entries(expected))
    test(graph, async () => {
      const seen = await seenThrough(new Client({ apiUrl: berth.url }), graph, script);
      expect(seen.error).toEqual(error);
      expect(seen.chunks.map(withoutIds)).toEqual(chunks.map(withoutIds));
      expect(seen.history).toEqual(history);
    });

  test("for twenty graphs at least", () => expect(Object.keys(expected).length).toBeGreaterThanOrEqual(20));
});
