import { type CommandDef, defineCommand, runCommand } from "citty";
import { leave } from "../exit/index.ts";
import { terminalText } from "../log/index.ts";
import { VERSION, versionWithCommit } from "../version.ts";
import { failWith } from "./fail.ts";
import { checkCommands, showUsage, UnknownCommand } from "./usage.ts";

/** The `berth` command. Subcommands are loaded when they are called: `--help` needs no LangChain. */
export const berth: CommandDef = defineCommand({
  meta: {
    name: "berth",
    version: VERSION,
    description: "Runs LangGraph agents on your own machine: one process, one SQLite file.",
  },
  subCommands: {
    start: () => import("./start.ts").then((module) => module.start),
    dev: () => import("./dev.ts").then((module) => module.dev),
    serve: () => import("./start.ts").then((module) => module.serve),
    stop: () => import("./stop.ts").then((module) => module.stop),
    check: () => import("./check.ts").then((module) => module.check),
    "read-project": () => import("./read-project.ts").then((module) => module.readProject),
    new: () => import("./new.ts").then((module) => module.newProject),
    deploy: () => import("./deploy/index.ts").then((module) => module.deploy),
    keys: () => import("./keys.ts").then((module) => module.keys),
    backup: () => import("./backup.ts").then((module) => module.backup),
    restore: () => import("./backup.ts").then((module) => module.restore),
    config: () => import("./config.ts").then((module) => module.config),
    export: () => import("./export.ts").then((module) => module.exportData),
    forget: () => import("./forget.ts").then((module) => module.forget),
    doctor: () => import("./doctor.ts").then((module) => module.doctor),
    health: () => import("./health.ts").then((module) => module.health),
    migrate: () => import("./migrate.ts").then((module) => module.migrate),
    compact: () => import("./compact.ts").then((module) => module.compact),
    "check-database": () => import("./database-file.ts").then((module) => module.checkDatabase),
    "copy-database": () => import("./database-file.ts").then((module) => module.copyDatabase),
    secrets: () => import("./secrets.ts").then((module) => module.secrets),
    webhooks: () => import("./webhooks.ts").then((module) => module.webhooks),
    service: () => import("./service.ts").then((module) => module.service),
    completion: () => import("./completion.ts").then((module) => module.completionOf(berth)),
    help: () => import("./usage.ts").then((module) => module.helpOn(berth)),
  },
});

/** Runs the command that the words name; what it takes is shown to whoever asks, and where it cannot be called so. */
export async function runBerth(words: string[]): Promise<void> {
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
    process.stdout.write(`${versionWithCommit()}\n`);
    return;
  }
  try {
    await checkCommands(berth, words[0] === "help" ? words.slice(1) : words);
    if (words.includes("--help") || words.includes("-h")) return await showUsage(berth, words);
    await runCommand(berth, { rawArgs: words });
  } catch (error) {
    if (error instanceof UnknownCommand) failWith(error);
    if (!(error instanceof Error) || error.name !== "CLIError") {
      process.stderr.write(`berth: ${terminalText(Bun.inspect(error))}\n`);
      leave(1);
    }
    await showUsage(berth, words);
    // Its words are in colour also where no terminal is.
    process.stderr.write(`${Bun.stripANSI(error.message)}\n`);
    leave(1);
  }
}
