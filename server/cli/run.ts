import { runCommand } from "citty";
import { leave } from "../leave.ts";
import { VERSION } from "../version.ts";
import { berth } from "./berth.ts";
import { showUsage } from "./usage.ts";

/** Runs the command that the words name; what it takes is shown to whoever asks, and where it cannot be called so. */
export async function runBerth(words: string[]): Promise<void> {
  if (words.includes("--help") || words.includes("-h")) return showUsage(berth, words);
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  try {
    await runCommand(berth, { rawArgs: words });
  } catch (error) {
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
