import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { because, describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";

const PROJECT = join(import.meta.dir, "differential");
const MODES = ["values", "updates", "custom"] as const;

type Step = { input?: unknown; resume?: unknown };
type State = {
  values: unknown;
  next: string[];
  source: string;
  step: number;
  interrupts: [string, unknown[]][];
};
type Seen = {
  script: Step[];
  chunks: [place: string[], mode: string, payload: unknown][];
  error: { error: string; message: string } | null;
  history: State[];
};

/** What the graphs do without Berth. */
function bare(): Record<string, Seen> {
  const { stdout, stderr, success } = Bun.spawnSync([testPython() ?? "", "bare.py"], { cwd: PROJECT });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

/** Without what each run has of its own: the ids of its questions. */
function plain([place, mode, payload]: Seen["chunks"][number]): Seen["chunks"][number] {
  const cut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cut);
    if (typeof value !== "object" || value === null) return value;
    const { __interrupt__, ...rest } = value as Record<string, unknown>;
    const values = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, cut(inner)]));
    if (!Array.isArray(__interrupt__)) return values;
    return { ...values, __interrupt__: __interrupt__.map(({ value }: { value: unknown }) => ({ value })) };
  };
  return [place, mode, cut(payload)];
}

const reason = noPython ?? because(process.platform === "win32", "needs Unix");
const expected = reason === undefined ? bare() : {};

describeUnless(reason)("bare and through Berth the same", () => {
  let berth: BerthProcess;
  const client = () => new Client({ apiUrl: berth.url });
  beforeAll(async () => {
    berth = await start({ project: PROJECT, env: { PYTHON: testPython() ?? "", EXECUTORS: "1" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  async function through(graph: string, script: Step[]): Promise<Omit<Seen, "script">> {
    const { thread_id } = await client().threads.create();
    const chunks: Seen["chunks"] = [];
    let error: Seen["error"] = null;
    for (const { input, resume } of script) {
      const asked = resume === undefined ? { input: input as never } : { command: { resume } };
      const options = { ...asked, streamMode: [...MODES], streamSubgraphs: true };
      for await (const { event, data } of client().runs.stream(thread_id, graph, options)) {
        const [mode = "", ...place] = event.split("|");
        if (mode === "error") error = data as unknown as Seen["error"];
        if (!MODES.includes(mode as never)) continue;
        chunks.push([place.map((part) => part.split(":")[0] ?? ""), mode, data]);
      }
    }
    const states = await client().threads.getHistory(thread_id, { limit: 100 });
    const history = states.map(({ values, next, metadata, tasks }) => ({
      ...{ values, next, source: String(metadata?.source), step: Number(metadata?.step) },
      interrupts: tasks.map(({ name, interrupts }): [string, unknown[]] => [
        name,
        interrupts.map(({ value }) => value),
      ]),
    }));
    return { chunks, error, history };
  }

  for (const [graph, { script, chunks, error, history }] of Object.entries(expected))
    test(graph, async () => {
      const seen = await through(graph, script);
      expect(seen.error).toEqual(error);
      expect(seen.chunks.map(plain)).toEqual(chunks.map(plain));
      expect(seen.history).toEqual(history);
    });

  test("for twenty graphs at least", () => expect(Object.keys(expected).length).toBeGreaterThanOrEqual(20));
});
