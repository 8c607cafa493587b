import { EVENTS_FROM, eventsTable } from "./events-table.ts";
import { textOf } from "./fences.ts";
import { made } from "./markdown.ts";
import { SCREENS_FROM, screensTable } from "./screens-table.ts";

const END = "<!-- Made until here. -->";

/** Pages that people write, with the table in them that is made. */
export async function pagesWithMadeParts(): Promise<[path: string, text: string][]> {
  return [
    withPart("docs/console.md", SCREENS_FROM, await screensTable()),
    withPart("docs/webhooks.md", EVENTS_FROM, eventsTable()),
  ];
}

/** A page with a new text between the two lines that say what is made. */
function withPart(path: string, from: string, part: string): [path: string, text: string] {
  const page = textOf(path);
  const begin = made(from);
  const [before, rest, ...more] = page.split(begin);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end < 0 || more.length > 0)
    throw new Error(`${path} needs two lines, once each: ${begin} and ${END}`);
  return [path, `${before}${begin}\n\n${part}\n\n${rest.slice(end)}`];
}
