import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { asked, openRig, started } from "../control/run/rig.ts";
import { notLong, testUnless } from "../skips.ts";
import { putExecutable } from "./executable.ts";
import { post, ROOT, run, startBerth, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const berth = join(folder.path, "berth");
const hello = { messages: [{ role: "user", content: "hello" }] };

beforeAll(async () => {
  await putExecutable(berth);
});
afterAll(folder.remove);

/** An empty folder in which nothing of this repository is found, not even by walking up. */
function emptyFolder(name: string): string {
  const path = join(folder.path, name);
  mkdirSync(path);
  return path;
}

describe("the executable", () => {
  test("explains itself", async () => {
    const { code, out } = await run([berth, "--help"], emptyFolder("help"));
    expect(code).toBe(0);
    for (const command of ["start", "dev", "serve", "keys"]) expect(out).toContain(command);
  });

  test("serves the built-in deep agent from an empty folder, and stops when told", async () => {
    await using started = await startBerth([berth], { cwd: emptyFolder("template") });
    const answer = await post(`${started.url}/runs/wait`, { assistant_id: "deep-agent", input: hello });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).toContain("offline model");
    for (const path of ["/ok", "/info", "/openapi.json", "/docs", "/docs/swagger-ui-bundle.js"])
      expect({ path, status: (await fetch(`${started.url}${path}`)).status }).toEqual({ path, status: 200 });
    expect(await started.stop()).toBe(0);
  });

  test("carries the chat, compressed", async () => {
    await using started = await startBerth([berth], { cwd: emptyFolder("chat") });
    const html = await (await fetch(`${started.url}/`)).text();
    const named = [...html.matchAll(/(?:href|src)="((?:\.?\/)?assets\/[^"]+)"/g)].flatMap(
      ([, path]) => path ?? [],
    );
    const loaded = named.map((path) => new URL(path, `${started.url}/`).pathname);
    expect(loaded.length).toBeGreaterThan(1);
    let scripts = 0;
    for (const path of loaded) {
      const answer = await fetch(started.url + path, { headers: { "accept-encoding": "br" } });
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      const { length } = await answer.text();
      expect(length).toBeGreaterThan(0);
      if (!path.endsWith(".js")) continue;
      scripts += length;
      // What fits into one packet is sent as it is.
      if (length > 1_000) expect([path, answer.headers.get("content-encoding")]).toEqual([path, "br"]);
    }
    expect(scripts).toBeGreaterThan(10_000);
    expect(await started.stop()).toBe(0);
  });

  test("serves a project's TypeScript graph with the project's own node_modules", async () => {
    const project = emptyFolder("project");
    await writeProject(project);
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    await using started = await startBerth([berth], {
      cwd: emptyFolder("elsewhere"),
      args: ["--project", project],
    });
    const answer = await post(`${started.url}/runs/wait`, { assistant_id: "shout", input: { text: "ahoy" } });
    expect(answer).toEqual({ status: 200, body: { text: "AHOY from a project" } });
    expect(await started.stop()).toBe(0);
  });

  test("follows the paths of a project's tsconfig.json", async () => {
    const project = emptyFolder("paths");
    await writeProject(project);
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    const compilerOptions = { paths: { "@/*": ["./parts/*"] } };
    await Bun.write(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    await Bun.write(join(project, "parts/shout.ts"), 'export { graph } from "../shout.ts";');
    await Bun.write(join(project, "by-path.ts"), 'export { graph } from "@/shout";');
    await Bun.write(join(project, "graph.json"), JSON.stringify({ graphs: { shout: "./by-path.ts:graph" } }));
    await using started = await startBerth([berth], {
      cwd: emptyFolder("beside"),
      args: ["--project", project],
    });
    const answer = await post(`${started.url}/runs/wait`, { assistant_id: "shout", input: { text: "ahoy" } });
    expect(answer.status).toBe(200);
  });

  test("runs what is deployed, from a place that only its owner can read", async () => {
    const rig = openRig({ program: { file: berth, sources: null } });
    const one = await started(rig, { secrets: [{ name: "MODEL_KEY", value: "of-the-owner" }] });
    const input = { list: [rig.dataDir] };
    const seen = await asked<{ env: object; outcome: Record<string, string>; who: { uid: number } }>(
      one,
      "/runs/wait",
      { assistant_id: "probe", input },
    );
    const { users } = rig.isolation;
    expect(seen.env).toMatchObject({ MODEL_KEY: "of-the-owner" });
    expect(seen.who.uid).toBe(users.uidOf(one.deployment) ?? process.getuid?.() ?? 0);
    if (process.getuid?.() === 0) expect(users.isolated).toBe(true);
    if (users.isolated) expect(seen.outcome[rig.dataDir]).toBe("EACCES");
    const template = await started(rig, { deployment: one.deployment, template: "chat", standby: true });
    expect((await fetch(`${template.url}/ok`)).status).toBe(200);
    for (const { instance } of [one, template]) await rig.driver.stop(rig.row(instance.id), 10_000);
    await rig.driver.removeAll(one.deployment);
    rig.remove();
  });

  test("says in one line what is wrong with a project, and ends with 1", async () => {
    const { code, err } = await run([berth, "start", "--project", emptyFolder("nothing")], folder.path);
    expect(code).toBe(1);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toContain("graph.json");
  });
});

/** Minutes of copying on some machines: with the long ones. */
testUnless(notLong)(
  "the executable is the same from wherever it is compiled, and under another name",
  async () => {
    // Two copies: neither has the commit that it is of, which the executable tells.
    const one = await compiledFromCopy("copy", "of-one-name");
    const other = await compiledFromCopy(join("a", "deeper", "copy"), "of-another-name");
    const hash = async (path: string) => Bun.SHA256.hash(await Bun.file(path).bytes(), "hex");
    expect(await hash(other)).toBe(await hash(one));
  },
);

async function compiledFromCopy(place: string, name: string): Promise<string> {
  const copy = join(emptyFolder(name), place);
  mkdirSync(copy, { recursive: true });
  const tree = ["agent", "server", "store", "web", "node_modules", "package.json", "tsconfig.json"];
  const copying = ["sh", "-c", `cp -al ${tree.join(" ")} '${copy}' || cp -a ${tree.join(" ")} '${copy}'`];
  expect((await run(copying, ROOT)).code).toBe(0);
  const program = join(folder.path, `compiled-${name}`);
  const { code, err } = await run([process.execPath, join(copy, "server", "build.ts"), program], copy);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  return program;
}

async function writeProject(project: string): Promise<void> {
  await Bun.write(join(project, "package.json"), JSON.stringify({ name: "shout", type: "module" }));
  await Bun.write(
    join(project, "graph.json"),
    JSON.stringify({ graphs: { shout: "./shout.ts:graph" }, env: ".env" }),
  );
  await Bun.write(join(project, ".env"), "SHOUT_SUFFIX=from a project\n");
  await Bun.write(
    join(project, "shout.ts"),
    `import { Annotation, StateGraph } from "@langchain/langgraph";
     const State = Annotation.Root({ text: Annotation<string>() });
     export const graph = new StateGraph(State)
       .addNode("shout", ({ text }) => ({ text: text.toUpperCase() + " " + process.env.SHOUT_SUFFIX }))
       .addEdge("__start__", "shout")
       .compile();`,
  );
}
