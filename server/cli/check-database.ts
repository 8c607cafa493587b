import { quickCheck } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import { checkArguments } from "./arguments.ts";

const args = {
  file: { type: "string", required: true, valueHint: "FILE", description: "The database to read" },
} satisfies ArgsDef;

/** Reads a database file and prints what is wrong with it, a line each. A running Berth has it done so. */
export const checkDatabase = defineCommand({
  meta: { name: "check-database", description: "Read a database file and print its faults", hidden: true },
  args,
  run: ({ args: { file }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      process.stdout.write(quickCheck(file).join("\n"));
    } catch (error) {
      process.stdout.write(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  },
});
