import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notLong, testUnless } from "../../skips.ts";
import { start } from "../berth-process.ts";

const PROJECT = join(import.meta.dir, "project");
const ROOT = join(import.meta.dir, "..", "..", "..");

const run = { assistant_id: "headers", input: {} };
/** What answers with 200 as long as nobody turned it off. */
const PROBES: Record<string, [path: string, body?: unknown]> = {
  assistants: ["/assistants/search", {}],
  threads: ["/threads/search", {}],
  runs: ["/runs/wait", run],
  crons: ["/runs/crons/search", {}],
  protocol: ["/threads/0197f0a0-0000-7000-8000-000000000001/commands", { id: 1, method: "x", params: {} }],
  store: ["/store/items/search", {}],
  mcp: ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
  a2a: ["/a2a/headers/.well-known/agent-card.json"],
  ui: ["/ui/headers", { name: "card" }],
  info: ["/info"],
  metrics: ["/metrics"],
  docs: ["/docs"],
  document: ["/openapi.json"],
  page: ["/"],
  ok: ["/ok"],
};

/** What goes with each switch. */
const SWITCHES: Record<string, string[]> = {
  disable_assistants: ["assistants"],
  disable_threads: ["threads"],
  disable_runs: ["runs", "crons", "protocol"],
  disable_store: ["store"],
  disable_mcp: ["mcp"],
  disable_a2a: ["a2a"],
  disable_ui: ["ui"],
  disable_meta: ["info", "metrics", "docs", "document", "page"],
  disable_webhooks: [],
};

async function served<T>(http: object, work: (url: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "berth-switches-"));
  cpSync(PROJECT, folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const config = { graphs: { headers: "./headers.ts:graph" }, ui: { headers: "./ui.tsx" }, http };
  writeFileSync(join(folder, "graph.json"), JSON.stringify(config));
  const berth = await start({ project: folder });
  try {
    return await work(berth.url);
  } finally {
    await berth.stop();
    rmSync(folder, { recursive: true });
  }
}

const statusOf = async (url: string, [path, body]: [path: string, body?: unknown]) => {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream, text/html",
  };
  const response = await fetch(url + path, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  return response.status;
};

/** Nobody is called at such an address: it is refused, unless nobody looks at it. */
const hooked: [string, unknown] = ["/runs/wait", { ...run, webhook: "ftp://127.0.0.1/hook" }];

test("with no switch everything answers", () =>
  served({}, async (url) => {
    for (const [name, probe] of Object.entries(PROBES))
      expect([name, await statusOf(url, probe)]).toEqual([name, 200]);
    expect(await statusOf(url, hooked)).toBe(422);
  }));

/** The others are read by the same code: a short run starts no server for each. */
const IN_SHORT = ["disable_runs", "disable_meta", "disable_webhooks"];

for (const [name, gone] of Object.entries(SWITCHES))
  testUnless(IN_SHORT.includes(name) ? undefined : notLong)(
    `${name} takes what it names, and nothing else`,
    () =>
      served({ [name]: true }, async (url) => {
        const answers = await Promise.all(
          Object.entries(PROBES).map(async ([probe, asked]) => [probe, await statusOf(url, asked)] as const),
        );
        expect(answers.filter(([, status]) => status === 404).map(([probe]) => probe)).toEqual(gone);
        expect(answers.filter(([, status]) => status !== 404 && status !== 200)).toEqual([]);
        if (name === "disable_webhooks") expect(await statusOf(url, hooked)).toBe(200);
      }),
  );
