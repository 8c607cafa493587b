import { type CommandDef, defineCommand } from "citty";
import { checkArguments, UsageError } from "../arguments.ts";
import { failWith } from "../fail.ts";
import { bash } from "./bash.ts";
import { everyLevel } from "./candidates.ts";
import { fish } from "./fish.ts";
import { zsh } from "./zsh.ts";

const SHELLS = { bash, zsh, fish };

const args = {
  shell: { type: "positional", required: true, description: "bash, zsh or fish" },
} as const;

/** Prints what a shell has to know to complete the commands below `root`. */
export const completionOf = (root: CommandDef) =>
  defineCommand({
    meta: { name: "completion", description: "Print a script that lets a shell complete the words of berth" },
    args,
    run: async ({ args: { shell }, rawArgs }) => {
      try {
        checkArguments(rawArgs, args);
        const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS] : undefined;
        if (!write)
          throw new UsageError(`no completion for "${shell}": there is ${Object.keys(SHELLS).join(", ")}`);
        process.stdout.write(write(await everyLevel(root)));
      } catch (error) {
        failWith(error);
      }
    },
  });
