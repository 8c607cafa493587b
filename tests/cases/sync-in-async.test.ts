import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { testPython } from "../python-here.ts";
import { describeCase, type ServedCase, send } from "./case.ts";

/** Texts that a graph gives by itself, with a saver and a store in memory, in the order of the inputs. */
async function standalone(folder: string, module: string, hows: readonly string[]): Promise<string[]> {
  const inputs = JSON.stringify(hows.map((how) => ({ how })));
  const script = join(import.meta.dir, "standalone.py");
  const child = Bun.spawn([testPython() ?? "", script, join(import.meta.dir, folder), module, inputs], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
}

/** Text of a run, which is resumed with "yes" if it stops at an interrupt. */
async function run(served: ServedCase, path: string, assistant_id: string, how: string): Promise<unknown> {
  const wait = async (more: object) =>
    JSON.parse((await send(served, "POST", path, JSON.stringify({ assistant_id, ...more }))).text);
  const state = await wait({ input: { how } });
  if (!("__interrupt__" in state)) return state.text ?? state;
  return (await wait({ command: { resume: "yes" } })).text;
}

async function threadPath(served: ServedCase): Promise<string> {
  const { text } = await send(served, "POST", "/threads", "{}");
  return `/threads/${JSON.parse(text).thread_id}/runs/wait`;
}

function comparesWithStandalone(folder: string, assistant: string, module: string, hows: readonly string[]) {
  return (served: ServedCase) => {
    const expected = new Map<string, string>();
    beforeAll(async () => {
      const texts = await standalone(folder, module, hows);
      hows.forEach((how, at) => {
        expected.set(how, texts[at] ?? "");
      });
    });
    for (const how of hows)
      test(`${how}: on a thread as standalone`, async () => {
        expect(await run(served, await threadPath(served), assistant, how)).toBe(expected.get(how) ?? "");
      });
    for (const how of hows.filter((how) => !how.endsWith("ask")))
      test(`${how}: without a thread as standalone`, async () => {
        expect(await run(served, "/runs/wait", assistant, how)).toBe(expected.get(how) ?? "");
      });
  };
}

const BRANCHES = [
  ...["sub", "substream", "storesync", "asyncsub", "nest", "signal", "pool", "poolspawn"],
  ...["s-run", "s-sub", "s-store", "s-runasub", "s-runstore"],
];

describeCase(
  "python/sync-in-async",
  comparesWithStandalone("python/sync-in-async", "sub", "syncsub", BRANCHES),
);

const BLOCKING = [
  ...["thread", "store", "many", "both", "subgraphs", "lasting", "ask", "stream"],
  ...["sync-loop", "sync-loop-lasting", "sync-loop-store", "sync-loops", "sync-ask", "sync-step"],
];

describeCase(
  "python/blocking-calls",
  comparesWithStandalone("python/blocking-calls", "agent", "agent", BLOCKING),
);
