import { runCommand } from "citty";
import { leave } from "../exit/index.ts";
import { commit, VERSION } from "../version.ts";
import { berth } from "./berth.ts";
import { failWith } from "./fail.ts";
import { checkCommands, UnknownCommand } from "./unknown-command.ts";
import { showUsage } from "./usage.ts";

/** Its first word is the version. */
function longVersion(): string {
  const of = commit();
  return of === null ? VERSION : `${VERSION} (commit ${of})`;
}

/** Runs the command that the words name; what it takes is shown to whoever asks, and where it cannot be called so. */
export async function runBerth(words: string[]): Promise<void> {
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
    process.stdout.write(`${longVersion()}\n`);
    return;
  }
  try {
    await checkCommands(berth, words[0] === "help" ? words.slice(1) : words);
    if (words.includes("--help") || words.includes("-h")) return await showUsage(berth, words);
    await runCommand(berth, { rawArgs: words });
  } catch (error) {
    if (error instanceof UnknownCommand) failWith(error);
    if (!(error instanceof Error) || error.name !== "CLIError") {
      process.stderr.write(`berth: ${Bun.inspect(error)}\n`);
      leave(1);
    }
    await showUsage(berth, words);
    // Its words are in colour also where no terminal is.
    process.stderr.write(`${Bun.stripANSI(error.message)}\n`);
    leave(1);
  }
}
