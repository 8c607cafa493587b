import type { ArgsDef } from "citty";

/** A command was given something that it does not take; the message is one line. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Refuses what `definition` does not have: citty passes over a misspelt option, and the command would do
 * something else than it was told.
 * @param given the words behind the command, as they were typed
 * @throws UsageError
 */
export function checkArguments(given: readonly string[], definition: ArgsDef): void {
  let places = Object.values(definition).filter(({ type }) => type === "positional").length;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? "";
    if (!word.startsWith("-")) {
      if (places === 0) throw new UsageError(`unexpected argument "${word}": see --help`);
      places -= 1;
      continue;
    }
    const [name = "", value] = word.replace(/^-+/, "").split("=", 2);
    const option = Object.hasOwn(definition, name) ? definition[name] : undefined;
    if (!option || !word.startsWith("--")) throw new UsageError(`unknown option ${word}: see --help`);
    if (option.type !== "string" || value !== undefined) continue;
    at += 1;
    if (given[at] === undefined) throw new UsageError(`${word} needs a value`);
  }
}
