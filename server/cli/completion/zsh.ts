import type { Candidate, CompletionLevel } from "./candidates.ts";

/** `path` is zsh's own word for where programs are: it is not used as a name here. */
export const zsh = (levels: readonly CompletionLevel[]): string => `#compdef berth
# Completion of berth for zsh: source <(berth completion zsh)
_berth_commands() {
  case "$1" in
${levels.map(({ behind, commands }) => arm(behind, commands)).join("")}    *) found=() ;;
  esac
}
_berth_options() {
  case "$1" in
${levels.map(({ behind, options }) => arm(behind, options)).join("")}    *) found=() ;;
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

const arm = (behind: string, words: readonly Candidate[]) =>
  words.length === 0 ? "" : `    "${behind}") found=(${words.map(described).join(" ")}) ;;\n`;

const described = ({ word, about }: Candidate) =>
  `'${word}:${about.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;
