import { globSync } from "node:fs";
import { join } from "node:path";
import { AREAS } from "../../web/console/screens.tsx";
import { ROOT } from "../smoke/program.ts";
import { alignedTable, code } from "./markdown.ts";

export const SCREENS_FROM = "`ABOUT` in the words of each screen";

/** What a person can do on the screens of an entry of the navigation; `page` says more. */
type About = { does: string; page?: string };

/** The table of `docs/console.md`: every entry of the navigation. */
export async function screensTable(): Promise<string> {
  const about = await everyAbout();
  const rows = AREAS.map(({ id, label, screens: [first] }) => {
    const { does, page } = about[id] ?? missing(id);
    const address = `/console${first.path === "/" ? "" : first.path}`;
    return [page === undefined ? label : `[${label}](${page})`, code(address), does];
  });
  return alignedTable(["Screen", "Address", "What you can do there"], rows);
}

async function everyAbout(): Promise<Record<string, About>> {
  const files = globSync("web/console/*/words.{ts,tsx}", { cwd: ROOT }).sort();
  const words: { ABOUT?: Record<string, About> }[] = await Promise.all(
    files.map((file) => import(join(ROOT, file))),
  );
  return Object.assign({}, ...words.map(({ ABOUT }) => ABOUT));
}

function missing(id: string): never {
  throw new Error(
    `web/console/screens.tsx has the entry ${id}: say in ABOUT of its words.ts what one can do there`,
  );
}
