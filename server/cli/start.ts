import { existsSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ProjectOrigin } from "@berth/agent";
import { maskInProcess } from "@berth/store/mask";
import { type ArgsDef, defineCommand, type ParsedArgs } from "citty";
import type { CodeSource } from "../executors/index.ts";
import { levelConsole, logger, provideSdkLogger, startProcessLog } from "../log/index.ts";
import type { Running } from "../process.ts";
import { onHangup, type SettingsReading, serviceManager } from "../service/index.ts";
import {
  EVERY_ROLE,
  findSettings,
  folderTexts,
  PROJECT_FILES,
  type Settings,
  secretValues,
  sourcesOf,
  type Texts,
  tellUnknown,
  warnOfProjectNames,
  withoutSettings,
} from "../settings/index.ts";
import { announce, stopOnSignal, wantsJson } from "./announcements.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { environmentFile } from "./environment-file.ts";
import { failWith } from "./fail.ts";
import { environmentAtStart, type OwnEnvironment, ownEnvironment } from "./own-environment.ts";

/** What every command that serves takes. */
export const flags = {
  project: {
    type: "string",
    valueHint: "DIR",
    description:
      "Folder with the graph.json to serve (default: the current folder; if it has none, the built-in deep-agent)",
  },
  port: {
    type: "string",
    valueHint: "PORT",
    description: "Port to listen on (default 8123; 0: any free one)",
  },
  host: { type: "string", valueHint: "HOST", description: "Address to listen on (default 127.0.0.1)" },
  data: { type: "string", valueHint: "DIR", description: "Folder for the database (default ./data)" },
} satisfies ArgsDef;

export type Flags = ParsedArgs<typeof flags> & { "env-file"?: string | undefined; role?: string | undefined };

const startFlags = {
  ...flags,
  role: {
    type: "string",
    valueHint: "ROLES",
    description:
      "What this process does: front, executor, control, or several with commas (default: everything)",
  },
  "env-file": {
    ...environmentFile,
    description: "File with more variables; they override the environment. On SIGHUP, Berth reads it again",
  },
} satisfies ArgsDef;

export const start = defineCommand({
  meta: { name: "start", description: "Serve a project, or the built-in deep-agent template" },
  args: startFlags,
  run: ({ args, rawArgs }) => run(args, rawArgs, { takes: startFlags, template: true }),
});

const serveFlags = {
  ...flags,
  template: { type: "string", valueHint: "NAME", description: "Serve a built-in template, not a project" },
} satisfies ArgsDef;

export const serve = defineCommand({
  meta: { name: "serve", description: "Serve only the Agent Server of one project, as a deployment does" },
  args: serveFlags,
  run: ({ args, rawArgs }) =>
    run(args, rawArgs, { takes: serveFlags, template: args.template ?? false, deployed: true }),
});

type Mode = {
  /** Its options, where it has more than `flags`. */
  takes?: ArgsDef;
  /** Whether the built-in template is served where there is no project, or the name of the one that is served. */
  template: boolean | string;
  /** Whether it may be what a deployment runs, somebody else's files far from their owner. */
  deployed?: boolean;
  watchPage?: boolean;
  /** Whether another process watches the project, and says when to listen and when to end. */
  watched?: boolean;
  defaults?: Texts;
};

/** Serves until it is told to stop. */
export async function run(args: Flags, given: string[], mode: Mode): Promise<void> {
  let environment = environmentAtStart;
  try {
    checkArguments(given, mode.takes ?? flags);
    const project = resolve(args.project ?? ".");
    const own = ownEnvironment(args, mode);
    environment = own.settings();
    const served = await servedProject(args, project, mode);
    const read = settingsReader(args, mode, own, served);
    provideSdkLogger();
    const { port, python, shipTracesTo } = read().settings;
    await served.checkPython(python);
    const place = placeOf(args, project, mode, python);
    const manager = await serviceManager(process.env);
    const secrets = secretValues({ ...served.variables, ...own.all() });
    own.hide(shipTracesTo !== null);
    tellPort(port);
    const turn = mode.watched ? await turnOf(place, read().settings, secrets) : undefined;
    const reading = read(turn?.texts);
    const { settings } = reading;
    maskInProcess({ values: secrets, prefixes: settings.secretPrefixes });
    const isJson = settings.logFormat === "json";
    if (settings.gatewayToken !== null || isJson) levelConsole(settings.gatewayToken === null);
    const source = turn?.source ?? (await sourceOf(place, settings, secrets));
    const { startProcess } = await import("../process.ts");
    const running = await startProcess(settings, {
      source,
      watchPage: mode.watchPage ?? false,
      ...(mode.deployed !== true && {
        control: { environment: { ...withoutSettings(served.variables), ...own.all() } },
      }),
      onListening: tellPort,
    });
    warnOfNames(mode, own, served);
    turn?.begin(running);
    // Whoever reads that it is ready may tell it to stop at once.
    stopOnSignal(running, settings, manager);
    const readAgain = () => {
      own.readAgain();
      return read(turn?.texts);
    };
    onHangup(reading, readAgain);
    if (settings.instanceFile !== null) writeInstance(settings.instanceFile, running.port);
    announce(running, settings, mode);
    manager.tell(`READY=1\nSTATUS=Serves at ${running.url}`);
  } catch (error) {
    failWith(error, wantsJson(environment));
  }
}

/** Reads the settings, also again after a file was changed. */
const settingsReader =
  (args: Flags, mode: Mode, own: OwnEnvironment, { variables }: ServedProject) =>
  (texts: Texts = {}): SettingsReading => {
    const { LANGGRAPH_CONFIG } = variables;
    const told = { ...mode.defaults, LANGGRAPH_CONFIG, ...own.settings() };
    const sources = sourcesOf({ ...flagTexts(args), ...texts }, told, own.isProjects ? null : ".");
    const { settings, found } = findSettings(sources);
    return { settings: asDeployed(settings, mode), found };
  };

/** Logs names that set nothing: those that resemble a setting, and those that are the project's. */
function warnOfNames({ deployed }: Mode, own: OwnEnvironment, { files }: ServedProject): void {
  const log = logger("settings");
  if (own.isProjects) warnOfProjectNames("The deployment", own.all(), log);
  for (const { file, texts } of files) warnOfProjectNames(`${file} of the project`, texts, log);
  if (deployed) return;
  const sources = sourcesOf({}, own.all(), ".");
  tellUnknown(Object.assign({}, ...sources.toReversed().map(({ texts }) => texts)), log);
}

/** What is between a gateway and a deployed process means nothing to any other. */
function asDeployed(settings: Settings, { deployed = false }: Mode): Settings {
  if (!deployed)
    return { ...settings, gatewayToken: null, instanceFile: null, standby: false, shipTracesTo: null };
  if (settings.roles !== EVERY_ROLE)
    throw new UsageError("ROLE works only with berth start: a deployment does everything");
  if (settings.standby && settings.gatewayToken === null)
    throw new UsageError("STANDBY needs GATEWAY_TOKEN: only the gateway can end it");
  return settings;
}

/** Graphs call their own server at `http://localhost:${process.env.PORT}`. */
function tellPort(port: number): void {
  if (port !== 0) process.env.PORT = String(port);
}

/** Where another process watches: the project is loaded, and served when that one says so. */
async function turnOf(place: ProjectOrigin, settings: Settings, secrets: readonly string[]) {
  startProcessLog(settings);
  const source = await sourceOf(place, settings, secrets);
  const { code } = await source.open();
  const { awaitTurn, takeTurn } = await import("../dev/index.ts");
  const port = await awaitTurn(code.project, settings);
  return {
    source,
    texts: port === null ? {} : { PORT: String(port) },
    begin: (running: Running) => takeTurn(running, running.port),
  };
}

function flagTexts(args: Flags): Texts {
  return { PORT: args.port, HOST: args.host, DATA_DIR: args.data, ROLE: args.role };
}

type ServedProject = {
  /** What its `env` sets. */
  variables: Texts;
  /** Its files that set variables, and what they set. */
  files: { file: string; texts: Texts }[];
  /** @throws ProjectError it has graphs in Python, and there is no Python */
  checkPython(named: string | null): Promise<void>;
};

/**
 * Reads what a project says before its code is loaded, so that one that cannot be served leaves nothing behind.
 * @throws ProjectError
 */
async function servedProject(args: Flags, path: string, mode: Mode): Promise<ServedProject> {
  if (templateFor(args, path, mode) !== null)
    return { variables: {}, files: [], checkPython: () => Promise.resolve() };
  const { pythonFor, pythonParts, readEnvironment, readProjectFile } = await import("@berth/agent");
  const project = await readProjectFile(path);
  const { variables } = await readEnvironment(project, dotenvOf(mode));
  const file = typeof project.env === "string" ? project.env : `env in ${basename(project.file)}`;
  // Berth 0.1.0 read them, whether the project names them or not.
  const others = folderTexts(project.dir).filter(
    (one) => resolve(project.dir, file) !== resolve(project.dir, one.file),
  );
  return {
    variables,
    files: [{ file, texts: variables }, ...others],
    checkPython: async (python) => {
      if (pythonParts(project.config).length > 0) pythonFor(project, python ?? undefined);
    },
  };
}

/** The project to be served; an executor that will load it starts at once. */
async function sourceOf(
  place: ProjectOrigin,
  settings: Settings,
  secrets: readonly string[],
): Promise<CodeSource> {
  const { CodeSource } = await import("../executors/index.ts");
  const source = new CodeSource(place, settings, process.env, secrets);
  source.prepare();
  return source;
}

function placeOf(args: Flags, path: string, mode: Mode, python: string | null): ProjectOrigin {
  const template = templateFor(args, path, mode);
  return template === null ? { path, ...dotenvOf(mode), ...(python && { python }) } : { template };
}

/** The built-in template that is served; null for the project at `path`. */
function templateFor(args: Flags, path: string, { template }: Mode): string | null {
  if (typeof template === "string") {
    if (args.project !== undefined) throw new UsageError("--project and --template do not go together");
    return template;
  }
  const found = args.project !== undefined || PROJECT_FILES.some((name) => existsSync(join(path, name)));
  return found || !template ? null : "deep-agent";
}

/** The `.env` of a deployment stays with its owner: it is never part of what is sent. */
const dotenvOf = ({ deployed = false }: Mode) => ({ dotenv: deployed ? "optional" : "needed" }) as const;

/** Says how this process is reached. Whoever waits for the file sees all of it or nothing. */
function writeInstance(path: string, port: number): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify({ pid: process.pid, port }));
  renameSync(unfinished, path);
}
