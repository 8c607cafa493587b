import { afterAll, beforeAll, expect, test } from "bun:test";
import { ReportReader, reportLines } from "../../../server/control/build/project-report.ts";
import { reportProject } from "../../../server/control/build/reported-project.ts";
import { failureOf, openRig, orderOf, type Rig } from "./rig.ts";

let rig: Rig;
beforeAll(() => {
  rig = openRig({ environment: { PYTHON: "/bin/false", PATH: "/nowhere" } });
});
afterAll(() => rig.remove());

const read = (lines: readonly string[], source = "/source") => {
  const reader = new ReportReader();
  for (const line of ["something else", ...lines]) reader.take(line);
  return reader.end(source);
};

const FILES = {
  install: { folder: "/source/app", lockFile: "bun.lock" },
  configFolder: "/source/app",
  python: null,
  unbuilt: [{ name: "Bücher", folder: "libs/a", file: "dist/index.js" }],
  lifecycleScripts: false,
};

test("a report that needs several lines comes through whole", () => {
  const unbuilt = Array.from({ length: 500 }, (_, at) => ({
    name: `n${at} ü\u0085`,
    folder: "a",
    file: "b",
  }));
  const files = Object.assign({}, FILES, { unbuilt });
  const lines = reportLines({ files });
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThan(4_096);
  expect(read(lines)).toEqual(files);
});

const forged: [what: string, files: unknown][] = [
  ["an installation outside of the source", { install: { folder: "/source/../other", lockFile: null } }],
  ["a member outside of the source", { unbuilt: [{ name: "a", folder: "../../other", file: "a" }] }],
  ["a member by an absolute path", { unbuilt: [{ name: "a", folder: "/other", file: "a" }] }],
  ["another configuration", { configFolder: "/other" }],
  ["something else", { install: 7 }],
];
test.each(forged)("a report that another program forged is refused: %s", (_, change) => {
  // The report is text by then: its type says nothing.
  const files = Object.assign({}, FILES, change) as typeof FILES;
  expect(read(reportLines({ files }))).toBeUndefined();
});

test("a report of endless lists is cut off, and an error is passed on", () => {
  const installs = [Array.from({ length: 100_000 }, (_, at) => `package-${at}`)];
  const lines = reportLines({ files: Object.assign({}, FILES, { installs }) });
  expect(() => read(lines)).toThrow("The project lists more packages than fit in 262144 characters");
  expect(() => read(reportLines({ error: "graph.json is not in the source" }))).toThrow(
    "is not in the source",
  );
  expect(read([])).toBeUndefined();
});

test("reading a folder without the configuration is an error in the report", async () =>
  expect(() => reportProject(import.meta.dir, "none.json").then(read)).toThrow(
    "none.json is not in the source",
  ));

const large: [path: string, text: string, message: string][] = [
  ["pyproject.toml", "a.b = 1\n".repeat(20_000), "pyproject.toml is larger than 131072 bytes"],
  ["requirements.txt", "# \n".repeat(400_000), "requirements.txt is larger than 1048576 bytes"],
  ["package.json", " ".repeat(1_048_577), "package.json is larger than 1048576 bytes"],
];
test.each(large)("%s has a size limit", async (path, text, message) => {
  const graph = { "graph.json": '{"graphs":{"agent":"./agent.py:graph"}}', "agent.py": "" };
  const files: Record<string, string> = Object.assign({}, graph, { [path]: text });
  expect(await failureOf(rig, await orderOf(rig, files))).toBe(message);
});
