import {
  type Database,
  DEFAULT_WORKSPACE,
  type Key,
  type KeyScope,
  Keys,
  listWorkspaces,
  openDatabase,
} from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings, shownDatabase } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { openExisting } from "./existing-database.ts";
import { failWith } from "./fail.ts";

const data = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
} satisfies ArgsDef;

const workspace = {
  ...data,
  workspace: {
    type: "string",
    valueHint: "NAME",
    description: "Name or id of a workspace (default: the first)",
  },
} satisfies ArgsDef;

/** Who calls where no key is needed. */
const HERE = { key_id: null, name: "command line" };

const createArgs = {
  ...workspace,
  name: { type: "string", default: "key", description: "What the key is for" },
  scope: {
    type: "string",
    default: "workspace",
    valueHint: "SCOPE",
    description:
      "What the key may use: workspace (one workspace), organization (all workspaces), or metrics (/metrics only)",
  },
} satisfies ArgsDef;

const removeArgs = {
  ...workspace,
  id: { type: "positional", required: true, description: "The key's id" },
} satisfies ArgsDef;

const create = defineCommand({
  meta: { name: "create", description: "Create an API key and show its secret, once" },
  args: createArgs,
  run: ({ args, rawArgs }) =>
    withKeys({ ...args, rawArgs, takes: createArgs, begins: true }, async ({ keys, workspaceId, file }) => {
      const scope = scopeOf(args.scope);
      // A key of the organization belongs to no workspace in particular: it stays when others are deleted.
      const home = scope === "workspace" ? workspaceId : DEFAULT_WORKSPACE.id;
      const isFirst = !(await keys.any());
      const { key, secret } = await keys.create(home, args.name, scope, HERE);
      const told = "This is the only time that its secret is shown.";
      const alone =
        isFirst && scope === "metrics"
          ? [
              "From now on every request needs a key, and this one reads /metrics only: make another for the rest.",
            ]
          : [];
      print([secret, `Key ${key.id} (${key.name}) of ${file}. ${told}`, ...alone]);
    }),
});

const list = defineCommand({
  meta: { name: "list", description: "List the API keys" },
  args: workspace,
  run: ({ args, rawArgs }) =>
    withKeys({ ...args, rawArgs, takes: workspace, begins: false }, async ({ keys, workspaceId }) => {
      const rows = await keys.list(workspaceId);
      if (rows.length > 0) return print(rows.map(line));
      const none = "No keys.";
      print([(await keys.any()) ? none : `${none} Without one, only this machine may call.`]);
    }),
});

const remove = defineCommand({
  meta: { name: "delete", description: "Delete an API key; it stops working within five seconds" },
  args: removeArgs,
  run: ({ args, rawArgs }) =>
    withKeys({ ...args, rawArgs, takes: removeArgs, begins: false }, async ({ keys, workspaceId }) => {
      await keys.delete(workspaceId, args.id, HERE);
      print([`Deleted ${args.id}.`]);
    }),
});

export const keys = defineCommand({
  meta: { name: "keys", description: "Create, list and delete API keys" },
  subCommands: { create, list, delete: remove },
});

type Call = {
  data?: string | undefined;
  workspace?: string | undefined;
  rawArgs: string[];
  takes: ArgsDef;
  /** A first key may be made before the first start; any other command wants the database of a server. */
  begins: boolean;
};

/** What a command works on. */
type Place = { keys: Keys; workspaceId: string; file: string };

async function withKeys(call: Call, work: (place: Place) => Promise<void>): Promise<void> {
  try {
    checkArguments(call.rawArgs, call.takes);
    const settings = readSettings({ DATA_DIR: call.data }, process.env, ".");
    const db = await (call.begins ? openDatabase(settings.databaseUrl) : openExisting(settings));
    const file = shownDatabase(settings);
    const keys = new Keys(db, db.clock);
    await workspaceOf(db, call.workspace)
      .then((workspaceId) => work({ keys, workspaceId, file }))
      .finally(() => db.close());
  } catch (error) {
    failWith(error);
  }
}

/** @throws UsageError there is none of this name or id */
async function workspaceOf(db: Database, named: string | undefined): Promise<string> {
  if (named === undefined) return DEFAULT_WORKSPACE.id;
  const all = await listWorkspaces(db);
  const found = all.find(({ id, name }) => id === named || name === named);
  if (found) return found.id;
  throw new UsageError(
    `there is no workspace ${named}; the workspaces are ${all.map(({ name }) => name).join(", ")}`,
  );
}

/** @throws UsageError */
function scopeOf(text: string): KeyScope {
  if (text === "workspace" || text === "organization" || text === "metrics") return text;
  throw new UsageError(`--scope must be workspace, organization or metrics, not "${text}"`);
}

function line(key: Key): string {
  const used = key.last_used_at === null ? "never used" : `used ${new Date(key.last_used_at).toISOString()}`;
  const scope = key.scope === "workspace" ? "" : `  ${key.scope}`;
  return `${key.id}  ${key.hint}…  ${key.name}${scope}  ${used}`;
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
