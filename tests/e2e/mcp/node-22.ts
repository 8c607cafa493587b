import { join } from "node:path";
import { WAIT_LIMIT_MS } from "../../limits.ts";

const NEEDED = 22;
/** The package that brings Node, for machines whose own is older. */
const PACKAGE = "node@22.23.3";

const SUITE = join(
  import.meta.dir,
  ..."../../../node_modules/@modelcontextprotocol/conformance/dist/index.js".split("/"),
);

type Ended = { code: number; output: string };

/** The command that runs Node 22 or newer here; undefined when there is none and none can be had. */
export async function node22(): Promise<string[] | undefined> {
  if (await isNewEnough(["node"])) return ["node"];
  const fromPackage = ["npx", "--yes", "--prefer-offline", PACKAGE];
  return (await isNewEnough(fromPackage)) ? fromPackage : undefined;
}

async function isNewEnough(node: string[]): Promise<boolean> {
  const { code, output } = await ended([...node, "--version"], WAIT_LIMIT_MS).catch(() => ({
    code: 1,
    output: "",
  }));
  const [, major] = /^v(\d+)\./m.exec(output) ?? [];
  return code === 0 && Number(major) >= NEEDED;
}

/** Runs the conformance suite of the Model Context Protocol in `folder`, where it leaves its reports. */
export function conformance(node: string[], args: string[], folder: string, limitMs: number): Promise<Ended> {
  return ended([...node, SUITE, ...args], limitMs, folder);
}

async function ended(command: string[], limitMs: number, cwd = import.meta.dir): Promise<Ended> {
  const child = Bun.spawn(command, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + err };
}
