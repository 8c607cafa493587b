import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { isBucketAddress } from "../bucket/index.ts";
import { sizeText } from "../data-folder/index.ts";
import { readSettings } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const backupArgs = {
  target: {
    type: "positional",
    required: false,
    valueHint: "FILE|FOLDER|s3://BUCKET/FILE",
    description:
      "Where the backup goes. A name that ends with .tar.gz makes one file, any other name a folder (default: a new file in the current folder)",
  },
  data: { type: "string", valueHint: "DIR", description: "Folder of the database (default ./data)" },
  "all-builds": {
    type: "boolean",
    default: false,
    description: "Include the builds that you can roll back to, not only the serving ones",
  },
  "without-secrets": {
    type: "boolean",
    default: false,
    description: "Leave out secrets.key; without it, nobody can read the secrets that the backup holds",
  },
} satisfies ArgsDef;

export const backup = defineCommand({
  meta: { name: "backup", description: "Back up everything; Berth may run meanwhile" },
  args: backupArgs,
  run: async ({ args: { target, data, "without-secrets": without, "all-builds": allBuilds }, rawArgs }) => {
    try {
      checkArguments(rawArgs, backupArgs);
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const { makeBackup, sendBackup, stamp } = await import("../backup/index.ts");
      const wanted = target ?? `berth-backup-${stamp(new Date())}.tar.gz`;
      const order = { settings, environment: process.env, withSecrets: !without, allBuilds, say: print };
      const { path, bytes, manifest, notes } = isBucketAddress(wanted)
        ? await sendBackup({ ...order, to: wanted }, settings.backup.bucket)
        : await makeBackup({ ...order, to: resolve(wanted) });
      for (const note of notes) print(`note: ${note}`);
      print(keyLine(manifest.with_secrets, settings.secretsKey !== null));
      print(
        `${path}: ${sizeText(bytes)}, ${manifest.files.length} files, as of ${manifest.as_of}, read back and well.`,
      );
    } catch (error) {
      failWith(error);
    }
  },
});

function keyLine(isIn: boolean, isSet: boolean): string {
  if (isIn) return "secrets.key is in it: whoever has this backup can read every secret.";
  return isSet
    ? "SECRETS_KEY is not in it: keep it elsewhere, or the secrets cannot be read again."
    : "The key of the secrets is not in it: keep it elsewhere, or they cannot be read again.";
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const restoreArgs = {
  backup: {
    type: "positional",
    required: true,
    valueHint: "FILE|FOLDER|s3://BUCKET/FILE",
    description: "A backup that berth backup made",
  },
  data: {
    type: "string",
    valueHint: "DIR",
    description: "Folder to restore into; it has to be empty (default ./data)",
  },
} satisfies ArgsDef;

export const restore = defineCommand({
  meta: { name: "restore", description: "Put a backup into an empty data folder, and an empty database" },
  args: restoreArgs,
  run: async ({ args: { backup, data }, rawArgs }) => {
    try {
      checkArguments(rawArgs, restoreArgs);
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const { archiveIn, restoreBackup } = await import("../backup/index.ts");
      const from = isBucketAddress(backup)
        ? await archiveIn(backup, settings.backup.bucket)
        : resolve(backup);
      const { manifest, notes } = await restoreBackup({ settings, environment: process.env, from });
      const { berth, host, as_of, files } = manifest;
      for (const note of notes) process.stdout.write(`note: ${note}\n`);
      process.stdout.write(
        `Restored ${files.length} files into ${settings.dataDir}: what Berth ${berth} on ${host} had acknowledged by ${as_of}.\n`,
      );
      process.stdout.write(
        "The next start goes on with it; webhooks that were under way then are sent again, with the same ids.\n",
      );
    } catch (error) {
      failWith(error);
    }
  },
});
