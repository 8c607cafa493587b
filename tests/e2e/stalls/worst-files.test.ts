import { afterAll, beforeAll, expect, test } from "bun:test";
import { quickest } from "../../limits.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import type { ProjectFiles } from "../tiny-agent.ts";
import { StallMeter, slownessOfMachine } from "./stall-meter.ts";

/** So long (ms) a file of a project may keep others waiting, on a quiet machine. */
const MOST_MS = 100;
const KEY = "a-key-for-deployments";
/** The largest file of a project that is read. */
const BYTES = 2 ** 20;

const meter = new StallMeter();
let berth: BerthProcess;
let api: DeploymentApi;
let deployment: string;

beforeAll(async () => {
  // There is no Python: the build reads the project and then fails.
  const env = { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", PYTHON: "/bin/false", PATH: "/nowhere" };
  berth = await start({ env: { ...env, npm_config_registry: "http://127.0.0.1:9/" } });
  api = new DeploymentApi(() => berth.url, KEY);
  deployment = (await api.fromSource("worst")).id;
  await meter.open(berth.url);
});
afterAll(async () => {
  meter.close();
  await berth?.stop();
});

/** As many lines as fit into a file. */
function filled(line: (at: number) => string, begin = "", end = "", bytes = BYTES): string {
  const lines: string[] = [];
  for (let at = 0, size = begin.length + end.length; ; at += 1) {
    const next = line(at);
    size += next.length;
    if (size > bytes) return begin + lines.join("") + end;
    lines.push(next);
  }
}

const nested = (open: string, middle: string, close: string, bytes: number) => {
  const depth = Math.floor((bytes - 200) / (open.length + close.length));
  return open.repeat(depth) + middle + close.repeat(depth);
};

const SCRIPT = '{"graphs":{"agent":"./agent.ts:graph"}}';
const PYTHON = '{"graphs":{"agent":"./agent.py:graph"}}';
const keys = (begin: string, end: string) => filled((at) => `"k${at}":${at},`, begin, end);
const deepFolders = Array.from({ length: 40 }, (_, at) => `${"a/".repeat(at)}package.json`);
const merged = `a: &a\n${filled((at) => `  k${at}: 1\n`, "", "", 100_000)}${filled((at) => `b${at}:\n  <<: *a\n`, "", "", 3_000)}`;

const worst: [what: string, files: ProjectFiles][] = [
  ["graph.json with many keys", { "graph.json": keys('{"graphs":{"agent":"./agent.ts:graph"},', '"z":0}') }],
  ["graph.json, nested", { "graph.json": nested('{"a":', "1", "}", BYTES) }],
  ["graph.json, as large as is read before the build", { "graph.json": nested("[", "", "]", 65_536) }],
  [
    "graph.json with many graphs",
    { "graph.json": filled((at) => `"g${at}":"./a.py:g",`, '{"graphs":{', '"z":"./a.py:g"}}') },
  ],
  ["package.json with many keys", { "graph.json": SCRIPT, "package.json": keys("{", '"z":0}') }],
  [
    "package.json, nested",
    { "graph.json": SCRIPT, "package.json": nested('{"overrides":', "{}", "}", BYTES) },
  ],
  [
    "package.json with many patterns",
    { "graph.json": SCRIPT, "package.json": filled((at) => `"p${at}/*",`, '{"workspaces":[', '"z"]}') },
  ],
  [
    "package.json with costly patterns over deep folders",
    {
      "graph.json": SCRIPT,
      ...Object.fromEntries(deepFolders.map((path) => [path, '{"name":"a"}'])),
      "package.json": JSON.stringify({ workspaces: Array(900).fill(`${"**/a*/".repeat(20)}x`) }),
    },
  ],
  [
    "pnpm-workspace.yaml with many keys",
    { "graph.json": SCRIPT, "package.json": "{}", "pnpm-workspace.yaml": filled((at) => `k${at}: 1\n`) },
  ],
  [
    "pnpm-workspace.yaml that repeats itself",
    { "graph.json": SCRIPT, "package.json": "{}", "pnpm-workspace.yaml": merged },
  ],
  [
    ".npmrc, bunfig.toml and lock files",
    {
      "graph.json": SCRIPT,
      "package.json": '{"workspaces":["a"]}',
      "a/package.json": '{"name":"a"}',
      ".npmrc": filled(() => "  link-workspace-packages\n"),
      "bunfig.toml": filled(() => "linkWorkspacePackages \n"),
      "bun.lock": nested("[", "", "]", BYTES),
    },
  ],
  [
    "pyproject.toml, as in the audit",
    { "graph.json": PYTHON, "pyproject.toml": filled((at) => `a.${at}=1\n`) },
  ],
  [
    "pyproject.toml, as large as it is read",
    { "graph.json": PYTHON, "pyproject.toml": filled((at) => `a.${at}=1\n`, "", "", 131_072) },
  ],
  [
    "requirements.txt and uv.lock",
    {
      "graph.json": PYTHON,
      "pyproject.toml": "[tool.uv.workspace]\nmembers = []\n",
      "requirements.txt": filled(() => `${"a".repeat(200)}\n`),
      "uv.lock": filled((at) => `a.${at}=1\n`),
    },
  ],
];

test.each(worst)("nobody waits for %s", async (_, files) => {
  const once = () =>
    meter.during(async () => {
      const revision = await api.push(deployment, files);
      const { status } = await api.settled(deployment, revision);
      expect(status).toBe("BUILD_FAILED");
    });
  const limit = MOST_MS * slownessOfMachine();
  expect(await quickest(limit, once, 4)).toBeLessThan(limit);
});
