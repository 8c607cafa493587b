import { existsSync } from "node:fs";
import { DEFAULT_WORKSPACE, type Key, Keys, openDatabase, systemClock } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings } from "../config.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { failWith } from "./fail.ts";

const data = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
} satisfies ArgsDef;

const createArgs = {
  ...data,
  name: { type: "string", default: "key", description: "What the key is for" },
} satisfies ArgsDef;

const removeArgs = {
  ...data,
  id: { type: "positional", required: true, description: "The key's id" },
} satisfies ArgsDef;

const create = defineCommand({
  meta: { name: "create", description: "Create an API key and show its secret, once" },
  args: createArgs,
  run: ({ args, rawArgs }) =>
    withKeys({ data: args.data, rawArgs, takes: createArgs, begins: true }, async (keys, file) => {
      const { key, secret } = await keys.create(DEFAULT_WORKSPACE.id, args.name);
      const told = "This is the only time that its secret is shown.";
      print([secret, `Key ${key.id} (${key.name}) of ${file}. ${told}`]);
    }),
});

const list = defineCommand({
  meta: { name: "list", description: "List the API keys" },
  args: data,
  run: ({ args, rawArgs }) =>
    withKeys({ data: args.data, rawArgs, takes: data, begins: false }, async (keys) => {
      const rows = await keys.list(DEFAULT_WORKSPACE.id);
      print(rows.length === 0 ? ["No keys. Without one, only this machine may call."] : rows.map(line));
    }),
});

const remove = defineCommand({
  meta: { name: "delete", description: "Delete an API key; it stops working within five seconds" },
  args: removeArgs,
  run: ({ args, rawArgs }) =>
    withKeys({ data: args.data, rawArgs, takes: removeArgs, begins: false }, async (keys) => {
      await keys.delete(DEFAULT_WORKSPACE.id, args.id);
      print([`Deleted ${args.id}.`]);
    }),
});

export const keys = defineCommand({
  meta: { name: "keys", description: "Create, list and delete API keys" },
  subCommands: { create, list, delete: remove },
});

type Call = {
  data: string | undefined;
  rawArgs: string[];
  takes: ArgsDef;
  /** A first key may be made before the first start; any other command wants the database of a server. */
  begins: boolean;
};

async function withKeys(call: Call, work: (keys: Keys, file: string) => Promise<void>): Promise<void> {
  try {
    checkArguments(call.rawArgs, call.takes);
    const { databaseFile: file } = readSettings({ DATA_DIR: call.data }, process.env, ".");
    if (!call.begins && !existsSync(file))
      throw new UsageError(`there is no database at ${file}: name its folder with --data`);
    const db = await openDatabase(`sqlite:${file}`);
    await work(new Keys(db, systemClock), file).finally(() => db.close());
  } catch (error) {
    failWith(error);
  }
}

function line(key: Key): string {
  const used = key.last_used_at === null ? "never used" : `used ${new Date(key.last_used_at).toISOString()}`;
  return `${key.id}  ${key.hint}…  ${key.name}  ${used}`;
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
