import { existsSync } from "node:fs";
import {
  compactDatabaseFile,
  type Erased,
  eraseThread,
  eraseUser,
  requireFileAlone,
  rewriteTables,
  systemClock,
} from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { keptBackups } from "../backup/index.ts";
import { isBucketAddress } from "../bucket/index.ts";
import { readSettings, type Settings } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { openExisting, requireThere } from "./existing-database.ts";
import { failWith } from "./fail.ts";

const args = {
  thread: { type: "string", valueHint: "ID", description: "Erase this thread" },
  user: {
    type: "string",
    valueHint: "ID",
    description: "Erase this user: threads and runs whose metadata names the user, crons, store items",
  },
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
  json: { type: "boolean", default: false, description: "Print JSON" },
} satisfies ArgsDef;

export const forget = defineCommand({
  meta: {
    name: "forget",
    description: "Erase a thread or a user everywhere, also in what was derived from it; stop Berth first",
  },
  args,
  run: async ({ args: { thread, user, data, json }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      if ((thread === undefined) === (user === undefined) || thread === "" || user === "")
        throw new UsageError("name a thread with --thread, or a user with --user");
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const erased = await erase(settings, { thread, user });
      const report = { ...erased, backups: await backupsOf(settings) };
      const of = thread === undefined ? `user ${user}` : `thread ${thread}`;
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : textOf(of, report));
    } catch (error) {
      failWith(error);
    }
  },
});

/** @throws FileInUse a Berth has the database file open */
async function erase(
  settings: Settings,
  { thread, user }: { thread: string | undefined; user: string | undefined },
): Promise<Erased> {
  requireThere(settings);
  const { databaseFile } = settings;
  if (databaseFile !== null) requireFileAlone(databaseFile);
  const db = await openExisting(settings);
  try {
    const now = systemClock.now();
    const erased =
      thread === undefined ? await eraseUser(db, user ?? "", now) : await eraseThread(db, thread, now);
    await rewriteTables(db);
    return erased;
  } finally {
    await db.close();
    // Deleted rows stay readable in free pages and in the write-ahead log until the file is rewritten.
    if (databaseFile !== null) compactDatabaseFile(databaseFile, () => undefined);
  }
}

type Backups = { place: string; names: string[]; problem: string | null };

/** Backups that were made before now: none of them is changed. */
async function backupsOf({ backup }: Settings): Promise<Backups> {
  const { place } = backup;
  if (!isBucketAddress(place) && !existsSync(place)) return { place, names: [], problem: null };
  try {
    const kept = keptBackups(backup);
    const all = await kept.list();
    return { place, names: all.map(({ name }) => kept.address(name)), problem: null };
  } catch (error) {
    return { place, names: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function textOf(of: string, { issuesToRead, backups, ...counts }: Erased & { backups: Backups }): string {
  const { place, names, problem } = backups;
  const erased = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return [
    `Erased of the ${of}: ${erased.join(", ")}. The database was rewritten without them.`,
    ...(issuesToRead.length === 0
      ? []
      : [`A person wrote the text of these issues, which may quote it: ${issuesToRead.join(", ")}`]),
    ...(problem === null ? [] : [`The backups in ${place} could not be listed: ${problem}`]),
    ...(names.length === 0
      ? [`There are no backups in ${place}. Other copies of the database keep what they hold.`]
      : [`These backups were made before and keep what they hold; delete them if they must not:`, ...names]),
    "",
  ].join("\n");
}
