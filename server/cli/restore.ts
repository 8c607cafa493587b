import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { readSettings } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const args = {
  backup: {
    type: "positional",
    required: true,
    valueHint: "FILE|FOLDER|s3://BUCKET/FILE",
    description: "A backup that berth backup made",
  },
  data: { type: "string", valueHint: "DIR", description: "Folder to restore into; empty (default ./data)" },
} satisfies ArgsDef;

export const restore = defineCommand({
  meta: { name: "restore", description: "Put a backup into an empty data folder" },
  args,
  run: async ({ args: { backup, data }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const settings = readSettings({ DATA_DIR: data }, process.env, ".");
      const { archiveIn, isBucketAddress, restoreBackup } = await import("../backup/index.ts");
      const from = isBucketAddress(backup)
        ? await archiveIn(backup, settings.backup.bucket)
        : resolve(backup);
      const { manifest, notes } = await restoreBackup({ settings, from });
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
