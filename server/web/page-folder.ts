import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  DOCUMENTS,
  type DocumentName,
  ENCODINGS,
  type Encoding,
  type PageFile,
  type WebPage,
} from "./page.ts";

/** What `page.json` says of each file beside its name. */
type Entry = { type: string; hash: string; encodings: Encoding[] };

const LIST = "page.json";
const fileName = (document: DocumentName, level: number) => `${document}.${level}.html`;
const nameOf = (name: string, encoding: Encoding) => (encoding === "identity" ? name : `${name}.${encoding}`);

/** The folder that `build.ts` embeds: in the executable it stands beside its one module, elsewhere nowhere. */
export const EMBEDDED = join(import.meta.dir, "page");

/** Writes a page as files, in place of whatever the folder holds. */
export async function writePage(folder: string, { documents, assets }: WebPage): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const tops = [...documents].flatMap(([document, levels]) =>
    levels.map((file, level) => [fileName(document, level), file] as const),
  );
  const entries: Record<string, Entry> = {};
  // In one order: what bundling makes comes in whatever order its threads are done, and an executable holds the list.
  const files = [...tops, ...assets].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, { type, hash, bodies }] of files) {
    const encodings = ENCODINGS.filter((encoding) => bodies[encoding] !== undefined);
    for (const encoding of encodings)
      await Bun.write(join(folder, nameOf(name, encoding)), bodies[encoding] ?? bodies.identity);
    entries[name] = { type, hash, encodings };
  }
  await Bun.write(join(folder, LIST), JSON.stringify(entries));
}

/** The page in a folder; undefined when there is none. */
export async function readPage(folder: string): Promise<WebPage | undefined> {
  const list = join(folder, LIST);
  if (!existsSync(list)) return undefined;
  const entries: Record<string, Entry> = await Bun.file(list).json();
  const assets = new Map(Object.entries(entries).map(([name, entry]) => [name, fileOf(folder, name, entry)]));
  const documents = DOCUMENTS.map((document) => [document, takeLevels(assets, document)] as const);
  if (documents[0]?.[1].length === 0) throw new Error(`${list} names no document`);
  return { documents: new Map(documents.filter(([, levels]) => levels.length > 0)), assets };
}

function takeLevels(files: Map<string, PageFile>, document: DocumentName): PageFile[] {
  const levels: PageFile[] = [];
  for (
    let file = files.get(fileName(document, 0));
    file;
    file = files.get(fileName(document, levels.length))
  ) {
    files.delete(fileName(document, levels.length));
    levels.push(file);
  }
  return levels;
}

function fileOf(folder: string, name: string, { type, hash, encodings }: Entry): PageFile {
  const blob = (encoding: Encoding) => Bun.file(join(folder, nameOf(name, encoding)));
  const bodies = Object.fromEntries(encodings.map((encoding) => [encoding, blob(encoding)]));
  return { type, hash, bodies: { identity: blob("identity"), ...bodies } };
}
