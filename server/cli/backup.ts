import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { sizeText } from "../data-folder/index.ts";
import { readSettings } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const args = {
  target: {
    type: "positional",
    required: false,
    valueHint: "FILE|FOLDER|s3://BUCKET/FILE",
    description:
      "Where the backup goes: a name with .tar.gz makes one file, any other a folder (default: a new file here)",
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
    description: "Leave out secrets.key: without it, nobody can read the secrets in the backup",
  },
} satisfies ArgsDef;

export const backup = defineCommand({
  meta: { name: "backup", description: "Back up everything, while Berth runs or not" },
  args,
  run: async ({ args: { target, data, "without-secrets": without, "all-builds": allBuilds }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const { isBucketAddress, makeBackup, sendBackup, stamp } = await import("../backup/index.ts");
      const wanted = target ?? `berth-backup-${stamp(new Date())}.tar.gz`;
      const order = { settings, withSecrets: !without, allBuilds, say: print };
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
