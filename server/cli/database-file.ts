import { copyDatabaseFile, quickCheck } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { checkArguments } from "./arguments.ts";

const checkArgs = {
  file: { type: "string", required: true, valueHint: "FILE", description: "The database to read" },
} satisfies ArgsDef;

/** Reads a database file and prints what is wrong with it, a line each. A running Berth has it done so. */
export const checkDatabase = defineCommand({
  meta: { name: "check-database", description: "Read a database file and print its faults", hidden: true },
  args: checkArgs,
  run: ({ args: { file }, rawArgs }) => {
    try {
      checkArguments(rawArgs, checkArgs);
      process.stdout.write(quickCheck(file).join("\n"));
    } catch (error) {
      process.stdout.write(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  },
});

const copyArgs = {
  from: { type: "string", required: true, valueHint: "FILE", description: "The database" },
  to: { type: "string", required: true, valueHint: "FILE", description: "Its copy: not there yet, or empty" },
} satisfies ArgsDef;

/** Copies a database; a backup has it done so as the user whose database it is. */
export const copyDatabase = defineCommand({
  meta: { name: "copy-database", description: "Copy a database that is in use", hidden: true },
  args: copyArgs,
  run: ({ args: { from, to }, rawArgs }) => {
    try {
      checkArguments(rawArgs, copyArgs);
      copyDatabaseFile(from, to);
    } catch (error) {
      process.stdout.write(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  },
});
