import { openDatabase, type SchemaStatus, schemaStatus } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings, shownDatabase } from "../settings/index.ts";
import { VERSION } from "../version.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { requireThere } from "./existing-database.ts";
import { failWith } from "./fail.ts";

const args = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
  check: {
    type: "boolean",
    default: false,
    description: "End with exit code 1 if a start would migrate the database",
  },
  apply: {
    type: "boolean",
    default: false,
    description: "Run the pending migrations, without starting Berth",
  },
  to: {
    type: "string",
    valueHint: "URL",
    description: "Copy everything to an empty database of the other engine: postgres://… or sqlite:PATH",
  },
  json: { type: "boolean", default: false, description: "Print JSON" },
} satisfies ArgsDef;

export const migrate = defineCommand({
  meta: {
    name: "migrate",
    description:
      "Show the migrations that the database has had, and those that wait; or copy it to the other engine",
  },
  args,
  run: async ({ args: { data, check, apply, to, json }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      if (check && apply) throw new UsageError("--check and --apply do not go together");
      if (to !== undefined && (check || apply))
        throw new UsageError("--to does not go together with --check and --apply");
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      requireThere(settings);
      if (to !== undefined) return await (await import("./migrate-to.ts")).migrateTo(settings, to, json);
      if (apply) await (await openDatabase(settings.databaseUrl)).close();
      const file = shownDatabase(settings);
      const status = await schemaStatus(settings.databaseUrl);
      const told = { database: file, berth: VERSION, ...status };
      process.stdout.write(json ? `${JSON.stringify(told, null, 2)}\n` : textOf(file, status));
      if (status.unknown.length > 0 || (check && status.pending.length > 0)) process.exitCode = 1;
    } catch (error) {
      failWith(error);
    }
  },
});

function textOf(file: string, { applied, pending, unknown }: SchemaStatus): string {
  const names = [...applied.map(({ name }) => name), ...pending];
  const width = Math.max(0, ...names.map((name) => name.length));
  const state = (name: string) => (unknown.includes(name) ? "of a newer Berth, " : "");
  const lines = [
    ...applied.map(({ name, at }) => `${name.padEnd(width)}  ${state(name)}applied ${at}`),
    ...pending.map((name) => `${name.padEnd(width)}  pending`),
  ];
  return `${[`${file}, seen by Berth ${VERSION}`, ...lines, "", verdict({ pending, unknown })].join("\n")}\n`;
}

function verdict({ pending, unknown }: Pick<SchemaStatus, "pending" | "unknown">): string {
  if (unknown.length > 0) return "A newer Berth has written it: this one refuses to start with it.";
  if (pending.length === 0) return "Nothing is pending.";
  const what = pending.length === 1 ? "1 migration" : `${pending.length} migrations`;
  return `${what} pending: the next start applies them, or --apply now. Take a backup first.`;
}
