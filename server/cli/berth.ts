import { type CommandDef, defineCommand } from "citty";
import { VERSION } from "../version.ts";

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
    check: () => import("./check.ts").then((module) => module.check),
    new: () => import("./new.ts").then((module) => module.newProject),
    deploy: () => import("./deploy/index.ts").then((module) => module.deploy),
    keys: () => import("./keys.ts").then((module) => module.keys),
    backup: () => import("./backup.ts").then((module) => module.backup),
    restore: () => import("./restore.ts").then((module) => module.restore),
    config: () => import("./config.ts").then((module) => module.config),
    export: () => import("./export.ts").then((module) => module.exportData),
    doctor: () => import("./doctor.ts").then((module) => module.doctor),
    health: () => import("./health.ts").then((module) => module.health),
    migrate: () => import("./migrate.ts").then((module) => module.migrate),
    "check-database": () => import("./check-database.ts").then((module) => module.checkDatabase),
    "copy-database": () => import("./copy-database.ts").then((module) => module.copyDatabase),
    secrets: () => import("./secrets.ts").then((module) => module.secrets),
    webhooks: () => import("./webhooks.ts").then((module) => module.webhooks),
    service: () => import("./service.ts").then((module) => module.service),
    completion: () => import("./completion/index.ts").then((module) => module.completionOf(berth)),
    help: () => import("./help.ts").then((module) => module.helpOn(berth)),
  },
});
