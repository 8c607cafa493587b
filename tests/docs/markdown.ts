/** A table in Markdown; cells keep to their row whatever is in them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A table as the formatter leaves it, which looks at pages that are made in part. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((cells) => cells.map(cell));
  const widths = head.map((_, at) => Math.max(3, ...all.map((cells) => Bun.stringWidth(cells[at] ?? ""))));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, at) => text + " ".repeat((widths[at] ?? 0) - Bun.stringWidth(text))).join(" | ")} |`;
  const [first = [], ...others] = all;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}

const cell = (text: string) =>
  text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();

export const code = (text: string) => `\`${text}\``;

/** A fenced block. */
export const fence = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** What is put together with an empty line between, as a page; nothing stands for what is left out. */
export const page = (...parts: readonly (string | undefined)[]) =>
  `${parts.filter((part) => part !== undefined && part !== "").join("\n\n")}\n`;

/** The anchor that a heading gets, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Says, where somebody edits it, where a page comes from. */
export const made = (from: string) =>
  `<!-- Made by \`bun tests/docs/main.ts\` from ${from}. Edits here are lost. -->`;
