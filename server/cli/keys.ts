import { DEFAULT_WORKSPACE, type Key, Keys, openDatabase, systemClock } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings } from "../config.ts";
import { failWith } from "./fail.ts";

const data = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
} satisfies ArgsDef;

const create = defineCommand({
  meta: { name: "create", description: "Create an API key and show its secret, once" },
  args: { ...data, name: { type: "string", default: "key", description: "What the key is for" } },
  run: ({ args }) =>
    withKeys(args.data, async (keys) => {
      const { key, secret } = await keys.create(DEFAULT_WORKSPACE.id, args.name);
      print([`${secret}`, `Key ${key.id} (${key.name}). This is the only time that its secret is shown.`]);
    }),
});

const list = defineCommand({
  meta: { name: "list", description: "List the API keys" },
  args: data,
  run: ({ args }) =>
    withKeys(args.data, async (keys) => {
      const rows = await keys.list(DEFAULT_WORKSPACE.id);
      print(rows.length === 0 ? ["No keys. Without one, only this machine may call."] : rows.map(line));
    }),
});

const remove = defineCommand({
  meta: { name: "delete", description: "Delete an API key; it stops working within five seconds" },
  args: { ...data, id: { type: "positional", required: true, description: "The key's id" } },
  run: ({ args }) =>
    withKeys(args.data, async (keys) => {
      await keys.delete(DEFAULT_WORKSPACE.id, args.id);
      print([`Deleted ${args.id}.`]);
    }),
});

export const keys = defineCommand({
  meta: { name: "keys", description: "Create, list and delete API keys" },
  subCommands: { create, list, delete: remove },
});

async function withKeys(dataDir: string | undefined, work: (keys: Keys) => Promise<void>): Promise<void> {
  try {
    const settings = readSettings({ DATA_DIR: dataDir }, process.env, ".");
    const db = await openDatabase(`sqlite:${settings.databaseFile}`);
    await work(new Keys(db, systemClock)).finally(() => db.close());
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
