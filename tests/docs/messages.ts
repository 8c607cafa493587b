import { textOf } from "./fences.ts";

/** What a page says that the program says: each text between backticks in the first column of a section's tables. */
export function messagesIn(page: string, heading: string): string[] {
  const [, section = ""] = textOf(page).split(`\n## ${heading}\n`);
  const rows = section
    .replace(/\n## [\s\S]*$/, "")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const cells = rows.map((row) => row.split(" | ", 1)[0]?.replace(/^\| /, "").trim() ?? "");
  // Heads of tables and the lines below them have no message.
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].slice(-1).map(([, text = ""]) => text));
}

/** Matches what the program prints for a message of a page, where `…` stands for what differs. */
export const patternOf = (message: string): RegExp =>
  new RegExp(message.split("…").map(RegExp.escape).join("[^\\n]*?"));
