import { type Compaction, compactDatabaseFile } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { sizeText } from "../data-folder/index.ts";
import { readSettings } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { requireThere } from "./existing-database.ts";
import { failWith } from "./fail.ts";

const args = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
  json: { type: "boolean", default: false, description: "Print JSON" },
} satisfies ArgsDef;

export const compact = defineCommand({
  meta: {
    name: "compact",
    description: "Return the free room of an older Berth's database file to the disk; stop Berth first",
  },
  args,
  run: ({ args: { data, json }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const { databaseFile } = settings;
      if (databaseFile === null) throw new UsageError(ON_SERVER);
      requireThere(settings);
      const say = (line: string) => !json && process.stdout.write(`${line}\n`);
      const done = compactDatabaseFile(databaseFile, (room) =>
        say(`Rewriting ${databaseFile}; that takes up to ${sizeText(room)} beside it for a while.`),
      );
      say(textOf(databaseFile, done));
      if (json) process.stdout.write(`${JSON.stringify(reportOf(databaseFile, done), null, 2)}\n`);
    } catch (error) {
      failWith(error);
    }
  },
});

const ON_SERVER =
  "the database is on a Postgres server, which uses free room again by itself (autovacuum); to give it back to the disk, run vacuum full on the table while Berth is stopped, or pg_repack while it runs";

function textOf(file: string, { before, after, keptItsRoom }: Compaction): string {
  const text = `${file}: ${sizeText(before)} before, ${sizeText(after)} now.`;
  return keptItsRoom ? `${text} From now on, Berth gives back what becomes free while it runs.` : text;
}

const reportOf = (database: string, { before, after }: Compaction) => ({
  ...{ database, bytes_before: before, bytes_after: after },
});
