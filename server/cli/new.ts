import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { ownProgram } from "../machine/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { normalName } from "./deploy/index.ts";
import { failWith } from "./fail.ts";
import { Cancelled, questionsAtTerminal } from "./questions.ts";
import { builtIn, inPython } from "./template-names.ts";

const takes = {
  path: {
    type: "positional",
    required: false,
    description: "Folder to make (default: named after the template)",
  },
  template: {
    type: "string",
    valueHint: "NAME",
    description: `The template: ${[...builtIn, ...inPython].join(", ")} (without it, the command asks in a terminal)`,
  },
} satisfies ArgsDef;

/** Begins a project: writes a template's files into a new folder. Nothing is fetched. */
export const newProject = defineCommand({
  meta: { name: "new", description: "Begin a project from a template" },
  args: takes,
  run: async ({ args, rawArgs }) => {
    try {
      checkArguments(rawArgs, takes);
      const template = await chooseTemplate(args.template);
      const folder = resolve(args.path ?? (await chooseFolder(template)));
      requireEmpty(folder);
      const count = await write(template, folder);
      process.stdout.write(nextSteps(template, folder, count));
    } catch (error) {
      if (!(error instanceof Cancelled)) failWith(error);
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    }
  },
});

/** What other tools call the same beginnings. */
const KNOWN_ELSEWHERE: Record<string, string> = {
  "deep-agent-js": "deep-agent",
  "new-langgraph-project-js": "chat",
  "react-agent-js": "chat",
  "deep-agent-python": "python-deep-agent",
  "new-langgraph-project-python": "python-chat",
  "react-agent-python": "python-chat",
};

async function chooseTemplate(given: string | undefined): Promise<string> {
  const { beginnings } = await import("@berth/agent");
  const described = beginnings();
  const name = given !== undefined && Object.hasOwn(KNOWN_ELSEWHERE, given) ? KNOWN_ELSEWHERE[given] : given;
  if (name !== undefined && Object.hasOwn(described, name)) return name;
  const names = Object.keys(described);
  const questions = questionsAtTerminal();
  if (name === undefined && questions) {
    return questions.choose(
      "Which template?",
      names.map((value) => ({ value, hint: described[value] ?? "" })),
    );
  }
  const list = names.join(", ");
  throw new UsageError(
    name === undefined
      ? `name one with --template: ${list}`
      : `there is no template "${name}": choose one of ${list}`,
  );
}

async function chooseFolder(template: string): Promise<string> {
  const questions = questionsAtTerminal();
  return questions ? questions.text("Where?", `./${template}`) : template;
}

/** A repository that was begun before its project is as good as empty. */
const MAY_BE_THERE = new Set([".git"]);

function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file, not a folder`);
  const found = readdirSync(folder).filter((name) => !MAY_BE_THERE.has(name));
  if (found.length > 0)
    throw new UsageError(`${folder} is not empty (it holds ${found[0]}): name a new folder`);
}

async function write(template: string, folder: string): Promise<number> {
  const { templateFiles } = await import("@berth/agent");
  const files = Object.entries(templateFiles(template));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), named(name, text, folder));
  return files.length;
}

/** A project is called like its folder: its deployment will be, too. */
function named(file: string, text: string, folder: string): string {
  if (file !== "package.json") return text;
  return text.replace(/"name": "[^"]*"/, `"name": ${JSON.stringify(normalName(basename(folder)))}`);
}

function nextSteps(template: string, folder: string, count: number): string {
  const path = relative(process.cwd(), folder);
  const { berth, install, staysInFolder } = ownCommands();
  const [project, config] = staysInFolder
    ? [` --project ${path || "."}`, ` --config ${join(path, "graph.json")}`]
    : ["", ""];
  const steps: [command: string, why: string][] = [
    ...(path === "" || staysInFolder ? [] : [[`cd ${path}`, ""] as [string, string]]),
    ...(template.startsWith("python-")
      ? pythonSteps(staysInFolder ? path || "." : ".")
      : [[install(path || "."), "its dependencies"] as [string, string]]),
    [`${berth} dev${project}`, "talk to it at http://127.0.0.1:8123, change it while it runs"],
    [`${berth} deploy${config}`, "deploy it to a running Berth that has an API key"],
  ];
  const width = Math.max(...steps.map(([command]) => command.length)) + 2;
  return [
    `Made ${path || "this folder"} from the template ${template} (${count} files).`,
    "",
    "Next:",
    ...steps.map(([command, why]) => `  ${command.padEnd(width)}${why}`.trimEnd()),
    "",
    "A key for a model goes into .env (see .env.example); without one an offline model answers.",
    "",
  ].join("\n");
}

function pythonSteps(folder: string): [command: string, why: string][] {
  const at = (name: string) => (folder === "." ? name : join(folder, name));
  const python = at(".venv/bin/python");
  return [
    [`python3 -m venv ${at(".venv")}`, "a virtual environment for its packages"],
    [`${python} -m pip install -r ${at("requirements.txt")}`, "its dependencies"],
  ];
}

/** What somebody types to call this program, as it was called: what is printed can be copied. */
type OwnCommands = {
  berth: string;
  /** Of the package manager that comes with it. */
  install(folder: string): string;
  /** Whether it goes only in the folder of the sources, so that other folders have to be named. */
  staysInFolder: boolean;
};

/** As a script of the sources, or as the executable, wherever that is. */
function ownCommands(): OwnCommands {
  // What `bun run berth` in the sources tells its children; they find neither it nor Bun elsewhere.
  if (executable() === undefined && process.env.npm_lifecycle_event === "berth") {
    const bun = `npx --yes bun@${Bun.version}`;
    return {
      berth: `${bun} run berth`,
      install: (folder) => `${bun} install --cwd ${folder}`,
      staysInFolder: true,
    };
  }
  const berth = executable() ?? "berth";
  // The executable is a package manager, too; a Bun that is there is shorter.
  const manager = Bun.which("bun") || executable() === undefined ? "bun" : `BUN_BE_BUN=1 ${berth}`;
  return { berth, install: () => `${manager} install`, staysInFolder: false };
}

/** The compiled program; nothing when the sources run. */
function executable(): string | undefined {
  const { file, sources } = ownProgram();
  if (sources !== null) return undefined;
  const name = basename(file);
  if (Bun.which(name) === file) return name;
  const path = relative(process.cwd(), file);
  return path.startsWith("..") ? file : `./${path}`;
}
