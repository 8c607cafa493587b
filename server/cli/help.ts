import { type CommandDef, defineCommand } from "citty";
import { showUsage } from "./usage.ts";

/** `berth help deploy list` is `berth deploy list --help`. */
export const helpOn = (root: CommandDef) =>
  defineCommand({
    meta: { name: "help", description: "Show every command, or the options of one" },
    args: { command: { type: "positional", required: false, description: "The words of the command" } },
    run: ({ rawArgs }) => showUsage(root, rawArgs),
  });
