import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chooseModel } from "../../../agent/templates/every-project/model.ts";
import {
  files,
  isTemplate,
  type Template,
  type TemplateName,
  templates,
} from "../../../agent/templates/index.ts";
import { names, pace, TemplateThread } from "./template-thread.ts";

pace("0");

const root = join(import.meta.dir, "../../..");
const source = join(root, "agent/templates");
const EVERY_PROJECT = [".env.example", ".gitignore", "model.ts", "offline-model.ts", "tsconfig.json"];
const scratch = mkdtempSync(join(tmpdir(), "berth-templates-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (name: string, file: string) => Bun.file(join(source, name, file)).text();
const graphs = (name: TemplateName) => Object.entries((templates[name] as Template).graphs);

/** Writes a template into a folder of its own that finds its packages, and gives its path. */
function copyOut(name: TemplateName): string {
  const folder = join(scratch, name);
  for (const [path, text] of Object.entries(files(name))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test("a template is known by its name", () => {
  expect(names).toContain("chat");
  expect(names.every(isTemplate)).toBe(true);
  expect(isTemplate("toString")).toBe(false);
});

describe.each(names)("%s", (name) => {
  test("the built-in graphs are those of its graph.json", async () => {
    const project = JSON.parse(await read(name, "graph.json"));
    expect(graphs(name).map(([id, { description }]) => [id, description])).toEqual(
      Object.entries<{ description: string }>(project.graphs).map(([id, graph]) => [id, graph.description]),
    );
    for (const [id, { load }] of graphs(name)) {
      const [path, exported] = project.graphs[id].path.split(":");
      const module = await import(join(source, name, path));
      expect(await load()).toBe(module[exported]);
    }
  });

  test("the texts to copy out are its files and those of every project, side by side", async () => {
    const texts = files(name);
    for (const file of ["agent.ts", "README.md", "graph.json", "package.json"])
      expect(texts[file]).toBe((await read(name, file)).replaceAll('"../every-project/', '"./'));
    for (const file of EVERY_PROJECT) expect(texts[file]).toBe(await read("every-project", file));
    expect(texts["agent.ts"]).toContain('from "./model.ts"');
    expect(Object.values(texts).join("")).not.toContain("every-project");
  });

  test("package.json pins every package that its code imports, and no other", async () => {
    const code = Object.entries(files(name)).filter(([file]) => file.endsWith(".ts"));
    const imported = code.flatMap(([, text]) => [...text.matchAll(/(?:from|import\() ?"([^".][^"]*)"/g)]);
    const packages = imported
      .map(([, specifier = ""]) => packageOf(specifier))
      .filter((it) => !it.startsWith("node:"));
    const { dependencies } = JSON.parse(await read(name, "package.json"));
    // The server takes Command and Send from the project's own LangGraph, imported by its code or not.
    const needed = new Set(["@langchain/langgraph", ...packages]);
    expect(Object.keys(dependencies)).toEqual([...needed].sort());
    for (const [dependency, version] of Object.entries(dependencies)) {
      const installed = await Bun.file(join(root, "node_modules", dependency, "package.json")).json();
      expect([dependency, version]).toEqual([dependency, installed.version]);
    }
  });

  test("works from a copy elsewhere", async () => {
    const folder = copyOut(name);
    const module = await import(join(folder, "agent.ts"));
    const thread = new TemplateThread(module.graph);
    await thread.run("weather in Lima");
    expect(await thread.answer()).toContain("sunny in Lima");
  });
});

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

test("a compiled binary carries the graphs and the texts", async () => {
  const entry = join(scratch, "entry.ts");
  const binary = join(scratch, "binary");
  const module = JSON.stringify(join(source, "index.ts"));
  await Bun.write(
    entry,
    `import { files, templates } from ${module};
     const graph = await templates.chat.graphs.chat.load();
     const { messages } = await graph.invoke({ messages: [{ role: "user", content: "weather" }] });
     console.log(JSON.stringify({ files: files("deep-agent"), answer: messages.at(-1).text }));`,
  );
  const { env } = process;
  const build = [process.execPath, "build", "--compile", entry, "--outfile", binary];
  expect(await run(build, { cwd: scratch, env })).toMatchObject({ code: 0 });
  const { code, output } = await run([binary], { cwd: tmpdir(), env });
  expect(code).toBe(0);
  const printed = JSON.parse(output);
  expect(printed.files).toEqual(files("deep-agent"));
  expect(printed.answer).toContain("sunny in Berlin");
});

async function run(command: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = Bun.spawn(command, { ...options, stdout: "pipe", stderr: "inherit" });
  const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { output, code };
}

describe("the model follows the environment", () => {
  test("without a key it is the offline one", async () => {
    expect((await chooseModel({}))._llmType()).toBe("offline");
    expect((await chooseModel({ ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", MODEL: "x" }))._llmType()).toBe(
      "offline",
    );
  });

  test("a key of Anthropic's comes first, MODEL names the model", async () => {
    const model = await chooseModel({ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", MODEL: "claude-x" });
    expect(model._llmType()).toBe("anthropic");
    expect(model).toMatchObject({ model: "claude-x" });
  });

  test("OPENAI_BASE_URL leads to a compatible server", async () => {
    const asked: unknown[] = [];
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname } = new URL(request.url);
        asked.push([pathname, request.headers.get("authorization"), await request.json()]);
        const message = { role: "assistant", content: "Hello from the other side" };
        return Response.json({ id: "1", object: "chat.completion", choices: [{ index: 0, message }] });
      },
    });
    const model = await chooseModel({
      OPENAI_API_KEY: "secret",
      OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
      OPENAI_MODEL: "local",
      MODEL: "other",
    });
    expect((await model.invoke("Hi")).text).toBe("Hello from the other side");
    expect(asked).toMatchObject([["/v1/chat/completions", "Bearer secret", { model: "local" }]]);
  });
});
