import type { ArgDef, ArgsDef } from "citty";

/** A command was given something that it does not take; the message is one line. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Refuses what `definition` does not have, and what is empty: citty passes over a misspelt option, a variable that
 * is not set leaves an empty word, and the command would do something else than it was told.
 * @param given the words behind the command, as they were typed
 * @throws UsageError
 */
export function checkArguments(given: readonly string[], definition: ArgsDef): void {
  const places = Object.entries(definition).flatMap(([name, arg]) =>
    arg.type === "positional" ? [placeName(name, arg)] : [],
  );
  for (const { word, option, value } of wordsOf(given, definition)) {
    if (!word.startsWith("-")) {
      const place = places.shift();
      if (place === undefined) throw new UsageError(`unexpected argument "${word}": see --help`);
      // As a variable that is not set leaves it.
      if (word.trim() === "") throw new UsageError(`the argument ${place} is empty`);
    } else if (!option) throw new UsageError(`unknown option ${word}: see --help`);
    else if (option.type === "string") checkValue(word, option, value);
  }
}

/** How a positional argument is called where it is shown. */
export function placeName(name: string, arg: ArgDef): string {
  return (("valueHint" in arg && arg.valueHint) || name).toUpperCase();
}

/** An empty value would pass for none at all; only what is empty by default may be empty. */
function checkValue(word: string, option: ArgDef, value: string | undefined): void {
  if (value === undefined) throw new UsageError(`${word} needs a value`);
  if (value.trim() === "" && option.default !== "")
    throw new UsageError(`${word} needs a value, and the value is empty`);
}

/** The first word that is neither an option nor the value of one: where there are subcommands, the one meant. */
export function firstArgument(given: readonly string[], definition: ArgsDef): string | undefined {
  for (const { word } of wordsOf(given, definition)) if (!word.startsWith("-")) return word;
  return undefined;
}

type Word = { word: string; option?: ArgDef | undefined; value?: string | undefined };

/** The words with the options that they name; the value of an option is no word of its own. */
function* wordsOf(given: readonly string[], definition: ArgsDef): Generator<Word> {
  for (let at = 0; at < given.length; at += 1) {
    const [word = "", ...rest] = (given[at] ?? "").split(/=(.*)/s);
    if (!word.startsWith("-")) {
      yield { word: given[at] ?? "" };
      continue;
    }
    const option = optionOf(word, definition);
    const inWord = rest.length > 0 ? rest[0] : undefined;
    const takesNext = option?.type === "string" && inWord === undefined;
    if (takesNext) at += 1;
    yield { word, option, value: takesNext ? given[at] : inWord };
  }
}

/** `--name`, `-n` where `n` stands for it, or `--no-name` where that says something. */
function optionOf(word: string, definition: ArgsDef): ArgDef | undefined {
  const own = (name: string) => {
    const found = Object.hasOwn(definition, name) ? definition[name] : undefined;
    return found?.type === "positional" ? undefined : found;
  };
  if (!word.startsWith("--")) {
    const short = word.slice(1);
    return Object.values(definition).find(
      (option) => "alias" in option && [option.alias].flat().includes(short),
    );
  }
  const found = own(word.slice(2));
  if (found || !word.startsWith("--no-")) return found;
  const negated = own(word.slice("--no-".length));
  return negated?.type === "boolean" && negated.negativeDescription ? negated : undefined;
}
