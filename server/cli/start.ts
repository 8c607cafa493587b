import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ArgsDef, defineCommand, type ParsedArgs } from "citty";
import { readSettings, type Settings, type Texts } from "../config.ts";
import type { Running } from "../process.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const flags = {
  project: {
    type: "string",
    valueHint: "DIR",
    description: "Folder with the graph.json to serve (default: here; without one, the built-in deep-agent)",
  },
  port: {
    type: "string",
    valueHint: "PORT",
    description: "Port to listen on (default 8123; 0: any free one)",
  },
  host: { type: "string", valueHint: "HOST", description: "Address to listen on (default 127.0.0.1)" },
  data: { type: "string", valueHint: "DIR", description: "Folder for the database (default ./data)" },
} satisfies ArgsDef;

type Flags = ParsedArgs<typeof flags>;

const PROJECT_FILES = ["graph.json", "langgraph.json"];

export const start = defineCommand({
  meta: { name: "start", description: "Serve a project, or the built-in deep-agent template" },
  args: flags,
  run: ({ args, rawArgs }) => run(args, rawArgs, { template: true }),
});

export const dev = defineCommand({
  meta: {
    name: "dev",
    description: "Serve a project while you write it: readable logs, every request shown",
  },
  args: flags,
  run: ({ args, rawArgs }) =>
    run(args, rawArgs, {
      template: true,
      watchPage: true,
      defaults: { LOG_FORMAT: "pretty", LOG_LEVEL: "debug" },
    }),
});

export const serve = defineCommand({
  meta: { name: "serve", description: "Serve only the Agent Server of one project; what a deployment runs" },
  args: flags,
  run: ({ args, rawArgs }) => run(args, rawArgs, { template: false }),
});

type Mode = { template: boolean; watchPage?: boolean; defaults?: Texts };

async function run(args: Flags, given: string[], mode: Mode): Promise<void> {
  try {
    checkArguments(given, flags);
    const dir = resolve(args.project ?? ".");
    const settings = readSettings(flagTexts(args), { ...mode.defaults, ...process.env }, dir);
    const { startProcess } = await import("../process.ts");
    const running = await startProcess(settings, {
      loadProject: () => projectAt(args, dir, mode),
      watchPage: mode.watchPage ?? false,
    });
    announce(running.url, Object.keys(running.agent.project.graphs), settings);
    stopOnSignal(running);
  } catch (error) {
    failWith(error);
  }
}

function flagTexts(args: Flags): Texts {
  return { PORT: args.port, HOST: args.host, DATA_DIR: args.data };
}

async function projectAt(args: Flags, dir: string, { template }: Mode) {
  const { loadProject, loadTemplate } = await import("@berth/agent");
  const found = args.project !== undefined || PROJECT_FILES.some((name) => existsSync(join(dir, name)));
  return found || !template ? loadProject(dir) : loadTemplate("deep-agent");
}

function announce(url: string, graphs: string[], { dataDir }: Settings): void {
  process.stdout.write(
    [
      `Berth is ready at ${url}`,
      `  graphs  ${graphs.join(", ")}`,
      `  chat    ${url}/`,
      `  docs    ${url}/docs`,
      `  health  ${url}/ok`,
      `  data    ${dataDir}`,
      "",
    ].join("\n"),
  );
}

/** The first signal stops gracefully, the second at once. */
function stopOnSignal({ agent, stop }: Running): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(130);
    stopping = true;
    const { running } = agent.queue;
    if (running > 0) {
      const runs = running === 1 ? "1 run" : `${running} runs`;
      process.stderr.write(`Waiting for ${runs} to end; once more stops at once.\n`);
    }
    stop().then(
      () => process.exit(0),
      (error) => failWith(error),
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}
