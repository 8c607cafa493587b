import type { CompletionLevel } from "./candidates.ts";

/** For bash 3 and later; where no word fits, it completes files. */
export const bash = (
  levels: readonly CompletionLevel[],
): string => `# Completion of berth for bash: eval "$(berth completion bash)"
_berth_commands() {
  case "$1" in
${levels.map(({ behind, commands }) => arm(behind, commands)).join("")}  esac
}
_berth_options() {
  case "$1" in
${levels.map(({ behind, options }) => arm(behind, options)).join("")}  esac
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

const arm = (behind: string, words: readonly { word: string }[]) =>
  words.length === 0 ? "" : `    "${behind}") echo "${words.map(({ word }) => word).join(" ")}" ;;\n`;
