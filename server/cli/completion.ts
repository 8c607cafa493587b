import { type CommandDef, defineCommand } from "citty";
import { checkArguments, UsageError } from "./arguments.ts";
import { failWith } from "./fail.ts";
import { usageOf } from "./usage.ts";

/** A word that can come next, and what it is for. */
type Candidate = { word: string; about: string };

/** What can follow after the words of a command. */
type CompletionLevel = {
  /** `""` behind `berth` itself, `" deploy list"` behind that command. */
  behind: string;
  commands: Candidate[];
  options: (Candidate & { takesValue: boolean })[];
};

/** Every command, and what can follow behind it. */
async function everyLevel(root: CommandDef, words: readonly string[] = []): Promise<CompletionLevel[]> {
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

/** For bash 3 and later; where no word fits, it completes files. */
const bash = (
  levels: readonly CompletionLevel[],
): string => `# Completion of berth for bash: eval "$(berth completion bash)"
_berth_commands() {
  case "$1" in
${levels.map(({ behind, commands }) => bashArm(behind, commands)).join("")}  esac
}
_berth_options() {
  case "$1" in
${levels.map(({ behind, options }) => bashArm(behind, options)).join("")}  esac
}
_berth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" behind="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case " $(_berth_commands "$behind") " in
      *" \${COMP_WORDS[at]} "*) behind="$behind \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$(_berth_options "$behind")" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$(_berth_commands "$behind")" -- "$current")) ;;
  esac
}
complete -o default -F _berth berth
`;

const bashArm = (behind: string, words: readonly { word: string }[]) =>
  words.length === 0 ? "" : `    "${behind}") echo "${words.map(({ word }) => word).join(" ")}" ;;\n`;

/** `path` is zsh's own word for where programs are: it is not used as a name here. */
const zsh = (levels: readonly CompletionLevel[]): string => `#compdef berth
# Completion of berth for zsh: source <(berth completion zsh)
_berth_commands() {
  case "$1" in
${levels.map(({ behind, commands }) => zshArm(behind, commands)).join("")}    *) found=() ;;
  esac
}
_berth_options() {
  case "$1" in
${levels.map(({ behind, options }) => zshArm(behind, options)).join("")}    *) found=() ;;
  esac
}
_berth() {
  local behind="" at
  local -a found
  for ((at = 2; at < CURRENT; at++)); do
    _berth_commands "$behind"
    (("\${#\${(@M)found:#\${words[at]}:*}}")) && behind="$behind \${words[at]}"
  done
  if [[ "\${words[CURRENT]}" == -* ]]; then _berth_options "$behind"; else _berth_commands "$behind"; fi
  if ((\${#found})); then _describe berth found; else _files; fi
}
if [[ "\${funcstack[1]}" == _berth ]]; then _berth "$@"; else compdef _berth berth; fi
`;

const zshArm = (behind: string, words: readonly Candidate[]) =>
  words.length === 0 ? "" : `    "${behind}") found=(${words.map(described).join(" ")}) ;;\n`;

const described = ({ word, about }: Candidate) =>
  `'${word}:${about.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;

const fish = (
  levels: readonly CompletionLevel[],
): string => `# Completion of berth for fish: berth completion fish | source
function __berth_behind
  set -l behind ""
  for word in (commandline -opc)[2..-1]
    switch "$behind $word"
      case ${levels
        .filter(({ behind }) => behind !== "")
        .map(({ behind }) => quoted(behind))
        .join(" ")}
        set behind "$behind $word"
    end
  end
  test "$behind" = "$argv[1]"
end
${levels.flatMap(linesOf).join("\n")}
`;

function linesOf({ behind, commands, options }: CompletionLevel): string[] {
  const head = `complete -c berth -n ${quoted(`__berth_behind "${behind}"`)}`;
  return [
    ...commands.map(({ word, about }) => `${head} -f -a ${word} -d ${quoted(about)}`),
    ...options.map(
      ({ word, about, takesValue }) =>
        `${head} -l ${word.replace(/^--/, "")}${takesValue ? " -r" : ""} -d ${quoted(about)}`,
    ),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const SHELLS = { bash, zsh, fish };

const args = {
  shell: { type: "positional", required: true, description: "bash, zsh or fish" },
} as const;

/** Prints what a shell has to know to complete the commands below `root`. */
export const completionOf = (root: CommandDef) =>
  defineCommand({
    meta: {
      name: "completion",
      description: "Print a script with which a shell completes the words of berth commands",
    },
    args,
    run: async ({ args: { shell }, rawArgs }) => {
      try {
        checkArguments(rawArgs, args);
        const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS] : undefined;
        if (!write)
          throw new UsageError(
            `there is no completion for "${shell}", only for ${Object.keys(SHELLS).join(", ")}`,
          );
        process.stdout.write(write(await everyLevel(root)));
      } catch (error) {
        failWith(error);
      }
    },
  });
