import type { CompletionLevel } from "./candidates.ts";

export const fish = (
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
