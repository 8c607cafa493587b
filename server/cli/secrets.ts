import { type Database, forgetSecrets, type Loss, rotateSecretsKey } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings, type Settings } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { openExisting } from "./existing-database.ts";
import { failWith } from "./fail.ts";
import { questionsAtTerminal } from "./questions.ts";

const rotateArgs = {
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
} satisfies ArgsDef;

const forgetArgs = {
  ...rotateArgs,
  yes: { type: "boolean", default: false, description: "Do not ask" },
} satisfies ArgsDef;

const rotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Make a new key for the secrets; Berth uses it from its next start",
  },
  args: rotateArgs,
  run: ({ args, rawArgs }) =>
    withDatabase({ ...args, rawArgs, takes: rotateArgs }, async ({ db, settings }) => {
      const key = await rotateSecretsKey(db, settings);
      if (key !== null) process.stdout.write(`${key}\n`);
      process.stderr.write(key === null ? ROTATED_FILE : ROTATED_SETTING);
    }),
});

const forget = defineCommand({
  meta: {
    name: "forget",
    description:
      "If the key of the secrets is lost: delete the secrets of deployments, so that Berth starts again",
  },
  args: forgetArgs,
  run: ({ args, rawArgs }) =>
    withDatabase({ ...args, rawArgs, takes: forgetArgs }, async ({ db, settings }) => {
      if (!args.yes) await confirmed();
      process.stdout.write(lossText(await forgetSecrets(db, settings)));
    }),
});

export const secrets = defineCommand({
  meta: {
    name: "secrets",
    description: "Change the key that encrypts the secrets of deployments, or delete these secrets",
  },
  subCommands: { rotate, forget },
});

const ROTATED_FILE = `The new key is in secrets.key. Restart Berth: it encrypts everything with the new key when it starts.
Keep the old key as long as you keep older backups.
`;
const ROTATED_SETTING = `This is the new key; Berth shows it only now. Set it as SECRETS_KEY and restart Berth: it encrypts everything with the new key when it starts.
Keep the old key as long as you keep older backups.
`;

type Call = { data?: string | undefined; rawArgs: string[]; takes: ArgsDef };
type Place = { db: Database; settings: Settings };

async function withDatabase(call: Call, work: (place: Place) => Promise<void>): Promise<void> {
  try {
    checkArguments(call.rawArgs, call.takes);
    const settings = readSettings({ DATA_DIR: call.data }, process.env, ".");
    const db = await openExisting(settings);
    await work({ db, settings }).finally(() => db.close());
  } catch (error) {
    failWith(error);
  }
}

/** @throws UsageError nobody can be asked, or the answer is no */
async function confirmed(): Promise<void> {
  const questions = questionsAtTerminal();
  if (!questions)
    throw new UsageError("add --yes if you mean it: afterwards nobody can get the secrets back");
  const sure = await questions.confirm(
    "Delete every secret that the lost key encrypted? If you find the key later, they are gone nevertheless.",
  );
  if (!sure) throw new UsageError("nothing has changed");
}

function lossText({ deployments, integrations, listeners, subscriptions }: Loss): string {
  const told = [
    line("deployments need their secrets again", deployments),
    line("integrations: add them again", integrations),
    line("clusters need their credentials again", listeners),
    line("webhook subscriptions are disabled until they have new secrets", subscriptions),
  ].flat();
  const hooks = "Push hooks have new secrets: copy them into the webhooks of the repositories.";
  return `${[...(told.length > 0 ? told : ["No secret was lost."]), hooks, "Berth starts again."].join("\n")}\n`;
}

const line = (what: string, names: string[]): string[] =>
  names.length === 0 ? [] : [`These ${what}: ${names.join(", ")}`];
