import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-project-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A graph that needs no packages. */
const GRAPH = "export const graph = { lg_is_pregel: true };";

function project(name: string, config: object, files: Record<string, string> = {}): string {
  const path = join(folder, name);
  const all = { "langgraph.json": JSON.stringify(config), "g.mjs": GRAPH, ...files };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

test("keys without effect are named once when the project loads, LANGGRAPH_CONFIG counts from its env", async () => {
  const served = project("keys", {
    $schema: "https://example.com/schema.json",
    _comment: "nobody's concern",
    graphs: { agent: "./g.mjs:graph" },
    dependencies: ["."],
    node_version: "18",
    image_distro: "wolfi",
    dockerfile_lines: ["RUN true"],
    made_up: true,
    env: { LANGGRAPH_CONFIG: JSON.stringify({ agent: { configurable: { model: "x" }, context: { a: 1 } } }) },
  });
  const berth = await start({ project: served });
  try {
    const assistant = await new Client({ apiUrl: berth.url }).assistants.get("agent");
    expect(assistant).toMatchObject({ config: { configurable: { model: "x" } }, context: { a: 1 } });
    const warnings = berth
      .output()
      .split("\n")
      .filter((line) => line.includes('"area":"project"'))
      .map((line) => JSON.parse(line) as { level: string; message: string });
    expect(new Set(warnings.map(({ level }) => level))).toEqual(new Set(["warning"]));
    const keys = warnings.map(({ message }) => /^langgraph\.json: "(\w+)"/.exec(message)?.[1]);
    expect(keys.sort()).toEqual(["dockerfile_lines", "image_distro", "made_up", "node_version"]);
    expect(warnings.find(({ message }) => message.includes("node_version"))?.message).toMatch(
      /with the API of Node \d+$/,
    );
  } finally {
    await berth.stop();
  }
});

test("LANGGRAPH_CONFIG of the process beats the project's, and a file that env names counts as well", async () => {
  const told = (model: string) => JSON.stringify({ agent: { configurable: { model } } });
  const served = project(
    "config",
    { graphs: { agent: "./g.mjs:graph" }, env: "conf/agent.env" },
    { "conf/agent.env": `LANGGRAPH_CONFIG='${told("file")}'\n` },
  );
  const modelOf = async (env: Record<string, string>) => {
    const berth = await start({ project: served, env });
    try {
      return (await new Client({ apiUrl: berth.url }).assistants.get("agent")).config.configurable;
    } finally {
      await berth.stop();
    }
  };
  expect(await modelOf({})).toEqual({ model: "file" });
  expect(await modelOf({ LANGGRAPH_CONFIG: told("process") })).toEqual({ model: "process" });
});

test("a LANGGRAPH_CONFIG that is no JSON is refused by its name", async () => {
  const served = project("broken", { graphs: { agent: "./g.mjs:graph" }, env: { LANGGRAPH_CONFIG: "{" } });
  const data = join(folder, "broken-data");
  const { code, stderr } = await berthCommand(["start", "--project", served, "--port", "0", "--data", data]);
  expect([code, existsSync(data)]).toEqual([1, false]);
  expect(stderr).toMatch(/^berth: LANGGRAPH_CONFIG[^\n]+\n$/);
});

test("a project with a Python graph is refused before anything is made, where no Python is", async () => {
  for (const path of ["./src/agent.py:graph", "my_package.agent:graph"]) {
    const served = project("python", { graphs: { js: "./g.mjs:graph", py: { path } } });
    const data = join(folder, "python-data");
    for (const command of ["start", "serve", "dev"]) {
      const args = [command, "--project", served, "--port", "0", "--data", data];
      const { code, stderr } = await berthCommand(command === "dev" ? [...args, "--no-reload"] : args, {
        env: { PATH: "/nowhere" },
      });
      expect([command, code, existsSync(data)]).toEqual([command, 1, false]);
      expect(stderr).toMatch(/^berth: [^\n]+\n$/);
      expect(stderr).toContain(
        "langgraph.json: graphs.py: no Python was found: install Python 3.11 or newer",
      );
    }
  }
});
