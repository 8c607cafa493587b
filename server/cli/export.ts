import { closeSync, openSync, writeSync } from "node:fs";
import { type Exported, exportThread, exportUser } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings, shownDatabase } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { openExisting } from "./existing-database.ts";
import { failWith } from "./fail.ts";

const args = {
  thread: { type: "string", valueHint: "ID", description: "The data of this thread" },
  user: {
    type: "string",
    valueHint: "ID",
    description: "The data of this user: threads and runs whose metadata names the user, crons, store items",
  },
  out: {
    type: "string",
    valueHint: "FILE",
    description: "A new file to write to; only its owner can read it (default: standard output)",
  },
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
} satisfies ArgsDef;

export const exportData = defineCommand({
  meta: { name: "export", description: "Write what Berth keeps about a thread or a user, as JSON lines" },
  args,
  run: async ({ args: { thread, user, out, data }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      if ((thread === undefined) === (user === undefined))
        throw new UsageError("name a thread with --thread, or a user with --user");
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const db = await openExisting(settings);
      const found = thread === undefined ? exportUser(db, user ?? "") : exportThread(db, thread);
      const count = await written(found, out).finally(() => db.close());
      const of = thread === undefined ? `user ${user}` : `thread ${thread}`;
      if (count === 0) throw new UsageError(`there is no data of the ${of} in ${shownDatabase(settings)}`);
      process.stderr.write(`${count} lines of the ${of}\n`);
    } catch (error) {
      failWith(error);
    }
  },
});

/** Nothing is made where there is nothing to write. */
async function written(found: AsyncGenerator<Exported>, out: string | undefined): Promise<number> {
  let count = 0;
  let file: number | undefined;
  try {
    for await (const one of found) {
      file ??= out === undefined ? 1 : newFile(out);
      const line = Buffer.from(`${JSON.stringify(one)}\n`);
      for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
      count += 1;
    }
  } finally {
    if (file !== undefined && file !== 1) closeSync(file);
  }
  return count;
}

function newFile(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new UsageError(
      code === "EEXIST" ? `${path} is there already` : `cannot write ${path}: ${code ?? error}`,
    );
  }
}
