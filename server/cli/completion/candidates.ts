import type { CommandDef } from "citty";
import { usageOf } from "../usage.ts";

/** A word that can come next, and what it is for. */
export type Candidate = { word: string; about: string };

/** What can follow after the words of a command. */
export type CompletionLevel = {
  /** `""` behind `berth` itself, `" deploy list"` behind that command. */
  behind: string;
  commands: Candidate[];
  options: (Candidate & { takesValue: boolean })[];
};

/** Every command, and what can follow behind it. */
export async function everyLevel(
  root: CommandDef,
  words: readonly string[] = [],
): Promise<CompletionLevel[]> {
  const { commands, options } = await usageOf(root, words);
  const level = {
    behind: words.map((word) => ` ${word}`).join(""),
    commands: commands.map(([word, about]) => ({ word, about })),
    options: [
      ...options.map(([label, about]) => optionOf(label, about)),
      { word: "--help", about: "Show what it takes", takesValue: false },
    ],
  };
  const below = await Promise.all(commands.map(([word]) => everyLevel(root, [...words, word])));
  return [level, ...below.flat()];
}

/** As it is shown: `-f, --follow`, `    --port=PORT`. */
function optionOf(label: string, about: string) {
  const [word = "", value] = (label.trim().split(", ").at(-1) ?? "").split("=");
  return { word, about, takesValue: value !== undefined };
}
