import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const STEPS = 12;
let berth: BerthProcess | undefined;
let project = "";

afterEach(async () => {
  await berth?.stop();
  berth = undefined;
  rmSync(project, { recursive: true, force: true });
});

/** A graph that counts slowly, under its first version only half of the way, and says which version counted. */
const graph = (version: string) => `
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { version } from "./lib/version.ts";
const list = () => Annotation({ reducer: (before, more) => before.concat(more), default: () => [] });
const State = Annotation.Root({ steps: list(), versions: list() });
export const graph = new StateGraph(State)
  .addNode("step", async ({ steps, versions }) => {
    const waits = version === "1" && versions.length >= ${STEPS / 2};
    await new Promise((resolve) => setTimeout(resolve, waits ? ${WAIT_LIMIT_MS} : 100));
    return { steps: [steps.length], versions: [version + "${version}"] };
  })
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ steps }) => (steps.length < ${STEPS} ? "step" : END))
  .compile();
`;

/** @param more of its configuration, which is asked for once the project has its folder */
async function served(more: () => object = () => ({})): Promise<BerthProcess> {
  project = mkdtempSync(join(tmpdir(), "berth-dev-"));
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  mkdirSync(join(project, "lib"));
  write("graph.json", JSON.stringify({ graphs: { steps: "./steps.ts:graph" }, ...more() }));
  write("lib/version.ts", 'export const version = "1";');
  write("steps.ts", graph("a"));
  berth = await start({ project, command: "dev" });
  return berth;
}

const write = (name: string, text: string) => writeFileSync(join(project, name), text);

const versionNow = async ({ url }: BerthProcess) => {
  const client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
  const values = await client.runs.wait(null, "steps", { input: { steps: [...Array(STEPS - 1).keys()] } });
  return (values as { versions: string[] }).versions[0];
};

/** While one process makes room for the next, nobody answers. */
const serves = (berth: BerthProcess, version: string) => () =>
  versionNow(berth).then(
    (now) => now === version,
    () => false,
  );

test("a change is served at the same address, and a run that was under way goes on with its reader", async () => {
  const berth = await served();
  // How long the next process takes to start is the machine's; the client's own patience ends after a few seconds.
  const client = new Client({ apiUrl: berth.url, callerOptions: { maxRetries: 12 } });
  const { thread_id } = await client.threads.create();
  const ids: string[] = [];
  const counts: number[] = [];
  let changed = false;
  const input = { steps: [], versions: [] };
  for await (const part of client.runs.stream(thread_id, "steps", { input, streamResumable: true })) {
    if ("id" in part) ids.push(String(part.id));
    const { steps = [] } = part.data as { steps?: number[] };
    if (part.event === "values") counts.push(steps.length);
    if (changed || part.event !== "values" || steps.length < 2) continue;
    changed = true;
    write("lib/version.ts", 'export const version = "2";');
  }
  expect(new Set(ids).size).toBe(ids.length);
  // A step that was under way is taken again; none is left out.
  expect([...new Set(counts)]).toEqual([...Array(STEPS + 1).keys()]);
  await until("the run has ended", async () => (await client.threads.get(thread_id)).status === "idle");
  const { values } = await client.threads.getState<{ steps: number[]; versions: string[] }>(thread_id);
  expect(values.steps).toEqual([...Array(STEPS).keys()]);
  expect(values.versions.at(0)).toBe("1a");
  expect(values.versions.at(-1)).toBe("2a");
  expect(await versionNow(berth)).toBe("2a");
});

test("code that does not load changes nothing, and says so; mended, it is served", async () => {
  const berth = await served();
  write("steps.ts", "export const graph = ;");
  await until("it says so", async () => berth.output().includes("does not load"));
  expect(berth.output()).toContain("steps.ts");
  expect(await versionNow(berth)).toBe("1a");
  write("steps.ts", graph("c"));
  await until("the mended code is served", serves(berth, "1c"));
  mkdirSync(join(project, "more"));
  write("more/version.ts", 'export const version = "3";');
  write("steps.ts", graph("d").replace("./lib/version.ts", "./more/version.ts"));
  await until("code of a new folder is served", serves(berth, "3d"));
  write("more/version.ts", 'export const version = "4";');
  await until("the new folder is watched as well", serves(berth, "4d"));
});

testUnless(notLong)(
  "a change of the file that graph.json names as env is a change of the project",
  async () => {
    const outside = mkdtempSync(join(tmpdir(), "berth-env-"));
    const file = join(outside, "own.env");
    writeFileSync(file, "MARK=first\n");
    const berth = await served(() => ({ env: relative(project, file) }));
    write("lib/version.ts", "export const version = process.env.MARK;");
    await until("the variable is read", serves(berth, "firsta"));
    writeFileSync(`${file}.new`, "MARK=second\n");
    renameSync(`${file}.new`, file);
    await until("the changed variable is read", serves(berth, "seconda"));
    rmSync(outside, { recursive: true });
  },
);
