import type { CommandDef } from "citty";
import { distance } from "../settings/index.ts";
import { below, commandRows } from "./usage.ts";

/** There is no such command; the message is two lines. */
export class UnknownCommand extends Error {
  override name = "UnknownCommand";
}

/** Two letters may be wrong, and not most of a short word. */
const MOST_WRONG = 2;

/**
 * Refuses words that name no command, with the one that they resemble. Those that are called by themselves and have
 * others below them, as `deploy`, look at their words in `setup`.
 * @throws UnknownCommand
 */
export async function checkCommands(root: CommandDef, words: readonly string[]): Promise<void> {
  let command = root;
  let path = "berth";
  for (const word of words) {
    if (word.startsWith("-")) return;
    const next = await below(command, word);
    if (next === undefined) {
      if (command.setup || command.subCommands === undefined) return;
      const names = (await commandRows(command.subCommands)).map(([name]) => name);
      throw new UnknownCommand(wordsOn(path, word, names));
    }
    command = next;
    path = `${path} ${word}`;
  }
}

function wordsOn(path: string, word: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, wrong: distance(word, name) }))
    .filter(({ name, wrong }) => wrong <= Math.min(MOST_WRONG, name.length / 2))
    .sort((one, other) => one.wrong - other.wrong)[0];
  const meant = near === undefined ? "" : ` Did you mean "${path} ${near.name}"?`;
  const help = path === "berth" ? "berth help" : `berth help ${path.slice("berth ".length)}`;
  return `there is no command "${path} ${word}".${meant}\n"${help}" shows the commands that there are.`;
}
