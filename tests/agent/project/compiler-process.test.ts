import { expect, test } from "bun:test";
import { join } from "node:path";
import { withCompiler } from "../../../agent/project/compiler-process.ts";
import { until } from "../../e2e/condition.ts";

const FIXTURES = join(import.meta.dir, "..", "..", "fixtures");

/** A process that reads the types of a graph, says which it has found, and stays. */
function reader(): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  const script = `
    import { stateTypes } from ${JSON.stringify(join(import.meta.dir, "..", "..", "..", "agent/project/state-types.ts"))};
    const path = ${JSON.stringify(join(FIXTURES, "agent", "graph.ts"))};
    const found = await stateTypes(${JSON.stringify(FIXTURES)}, { agent: { path, exportName: "graph" } });
    console.log(Object.keys(found.graphs).join());
    setInterval(() => undefined, 1000);`;
  return Bun.spawn([process.execPath, "-e", script], { cwd: FIXTURES, stdio: ["ignore", "pipe", "pipe"] });
}

/** The compilers that a process has started, by what the machine says; `--api` is how they are asked to listen. */
async function compilersOf(parent: number): Promise<number[]> {
  const listed = await new Response(Bun.spawn(["ps", "-axo", "pid=,ppid=,args="]).stdout).text();
  return listed.split("\n").flatMap((line) => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number);
    return pid && ppid === parent && line.includes("--api") ? [pid] : [];
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills a reader so long after its compiler has started, and waits for the end of all that it began. */
async function killed(afterMs: number): Promise<void> {
  const parent = reader();
  try {
    const ask = () => compilersOf(parent.pid);
    const [compiler = 0] = await until("a compiler has started", ask, ({ length }) => length > 0);
    await Bun.sleep(afterMs);
    parent.kill("SIGKILL");
    await until("the compiler has ended", async () => !isAlive(compiler));
    // Nobody holds the outputs any more: both end.
    await Promise.all([new Response(parent.stdout).text(), new Response(parent.stderr).text()]);
  } finally {
    parent.kill("SIGKILL");
  }
}

test("a compiler ends with the process that asked it, killed while it starts, reads files, or checks", async () => {
  await Promise.all([0, 50, 150].map(killed));
});

test("it is gone when the types are read", async () => {
  const parent = reader();
  try {
    const { value } = await parent.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("agent\n");
    expect(await compilersOf(parent.pid)).toEqual([]);
  } finally {
    parent.kill("SIGKILL");
    await parent.exited;
  }
});

test("it is gone when its use fails, and so is what was written for it", async () => {
  let written = "";
  const failing = withCompiler(
    { dir: FIXTURES, packages: FIXTURES, files: { "one.ts": "export {};" } },
    async ({ folder }) => {
      written = join(folder, "one.ts");
      expect(await Bun.file(written).exists()).toBe(true);
      throw new Error("no use");
    },
  );
  await expect(failing).rejects.toThrow("no use");
  expect(await Bun.file(written).exists()).toBe(false);
  expect(await compilersOf(process.pid)).toEqual([]);
});
