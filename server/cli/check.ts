import { resolve } from "node:path";
import type { Project } from "@berth/agent";
import { type ArgsDef, defineCommand } from "citty";
import { leave, refuseExits } from "../exit/index.ts";
import { provideSdkLogger, terminalText } from "../log/index.ts";
import { ownName } from "../settings/index.ts";
import { type CheckReport, writeReport } from "../sources/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const args = {
  project: {
    type: "string",
    required: true,
    valueHint: "FILE",
    description: "The graph.json to load, or its folder",
  },
} satisfies ArgsDef;

/** Loads a project once, as serving it would, and says in one line whether that worked. A build runs it. */
export const check = defineCommand({
  meta: { name: "check", description: "Load a project once and report in one line of JSON", hidden: true },
  args,
  run: async ({ args: { project }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
    } catch (error) {
      failWith(error);
    }
    const report = await load(resolve(project));
    // Whatever the project keeps open (timers, sockets) does not keep the check from ending.
    process.stdout.write(`\n${terminalText(writeReport(report))}\n`, () => leave("error" in report ? 1 : 0));
  },
});

async function load(project: string): Promise<CheckReport> {
  const { loadProject, MissingModule } = await import("@berth/agent");
  refuseExits();
  provideSdkLogger(({ level, text }) => process.stdout.write(`${level}: ${terminalText(text)}\n`));
  try {
    const {
      graphs,
      warnings = [],
      ui,
    } = await loadProject(project, { dotenv: "optional", python: process.env[ownName("PYTHON")] });
    return { graphs: Object.keys(graphs), warnings: [...warnings, ...(await uiFaults(ui))] };
  } catch (error) {
    return { error: error instanceof MissingModule ? error.onServer : await told(error) };
  }
}

/** Components that cannot be bundled: their graphs serve without them. */
async function uiFaults(ui: Project["ui"]): Promise<string[]> {
  if (!ui) return [];
  const { bundleUi, codeFaults, UiFault } = await import("../components/index.ts");
  const faults: string[] = [];
  for (const graph of Object.keys(ui.modules))
    await bundleUi(ui, graph).catch((error) => {
      if (!(error instanceof UiFault)) throw error;
      faults.push(`ui.${graph}: ${codeFaults(error.cause).join("; ") || error.message}`);
    });
  return faults;
}

/** What went wrong, and where in the project's code. */
async function told(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const { codeFaults } = await import("../components/index.ts");
  const faults = codeFaults(error.cause);
  if (faults.length > 0) return faults.join("; ");
  const place = placeOf(error.cause);
  return place === undefined ? error.message : `${error.message} (${place})`;
}

/** The first line of the stack that is the project's own. */
function placeOf(cause: unknown): string | undefined {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const places = [...stack.matchAll(/^\s+at .*?\(?((?:\/|[A-Z]:\\)[^()\n]*:\d+:\d+)\)?$/gm)];
  return places.map(([, place]) => place).find((place) => !place?.includes("node_modules"));
}
