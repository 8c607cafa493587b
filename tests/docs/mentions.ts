import type { CommandUsage } from "../../server/cli/usage.ts";
import { fencesOf, textOf } from "./fences.ts";

/** What pages show of the command line: in shell blocks, and in the text between backticks. */
export function callsIn(page: string): string[] {
  const blocks = fencesOf(page).filter(({ language }) => language === "sh");
  const prose = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, "");
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
  return [...blocks.flatMap(({ text }) => text.replaceAll("\\\n", " ").split("\n")), ...inline].flatMap(
    (line) =>
      /(?:^|[\s/])berth ((?:[a-z]+|--[a-z]+)(?=\s|$)[^#&|;>]*)/
        .exec(line.replace(/^\s*#.*/, ""))?.[1]
        ?.trim() ?? [],
  );
}

/** What is wrong with a call, given all that one can call: no such command, or no such option of it. */
export function faultOf(call: string, usages: readonly CommandUsage[]): string | undefined {
  const words = call.split(/\s+/);
  const isOf = ({ path }: CommandUsage) => `berth ${call} `.startsWith(`${path} `);
  const [usage] = usages.filter(isOf).sort((one, other) => other.path.length - one.path.length);
  const asked = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ""));
  // `berth keys` and `berth --help` lead on, and are no calls.
  if (!usage) {
    const leadsOn = usages.some(({ path }) => path.startsWith(`berth ${words[0]} `));
    return leadsOn || asked[0] === words[0] ? undefined : `there is no command ${call}`;
  }
  const known = usage.options
    .flatMap(([label]) => label.trim().split(", "))
    .map((label) => label.replace(/=.*/, ""));
  const unknown = asked.filter((option) => option !== "--help" && !known.includes(option));
  return unknown.length > 0 ? `${usage.path} has no ${unknown.join(", ")}` : undefined;
}
