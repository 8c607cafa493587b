import { copyDatabaseFile } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { checkArguments } from "./arguments.ts";

const args = {
  from: { type: "string", required: true, valueHint: "FILE", description: "The database" },
  to: { type: "string", required: true, valueHint: "FILE", description: "Its copy: not there yet, or empty" },
} satisfies ArgsDef;

/** Copies a database; a backup has it done so as the user whose database it is. */
export const copyDatabase = defineCommand({
  meta: { name: "copy-database", description: "Copy a database that is in use", hidden: true },
  args,
  run: ({ args: { from, to }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      copyDatabaseFile(from, to);
    } catch (error) {
      process.stdout.write(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  },
});
