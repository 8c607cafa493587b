/** A piece of a page whose text cannot become markup: only {@link html} makes one. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | null | readonly Markup[];

/** Markup with values in it; texts are escaped, other markup is taken as it is. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(
    strings.map((string, at) => string + (at < parts.length ? textOf(parts[at] ?? null) : "")).join(""),
  );
}

function textOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("");
  return escaped(String(part));
}

const NAMES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => NAMES[character] ?? "");
