import { type ArchiveFile, tarOf } from "./ustar.ts";

/** What somebody dropped or chose to deploy. */
export type DroppedProject =
  | { kind: "archive"; file: File }
  | {
      kind: "folder";
      name: string;
      files: ArchiveFile[];
      /** Names of what stays behind, each once. */
      leftOut: string[];
      /** The text of its `.env`, whose values travel as secrets. */
      environment?: string;
    };

type Found = { files: ArchiveFile[]; leftOut: Set<string>; environment?: File };

const ARCHIVE = /\.(?:tar|tar\.gz|tgz)$/i;

/**
 * What was dropped: one archive, one folder, or the files of one.
 * @throws Error in words for the person who dropped it
 */
export async function readDrop(items: DataTransferItemList): Promise<DroppedProject> {
  const file = items.length === 1 ? items[0]?.getAsFile() : null;
  if (file && ARCHIVE.test(file.name)) return { kind: "archive", file };
  // Only while the event is handled: afterwards the list is empty.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [first] = entries;
  if (!first) throw new Error("Drop a folder, or a .tar.gz of one.");
  const found: Found = { files: [], leftOut: new Set() };
  // A folder's own name is not part of what is in it.
  const children = entries.length === 1 && isFolder(first) ? await childrenOf(first) : entries;
  for (const child of children) await collect(child, "", found);
  return folderOf(entries.length === 1 ? first.name : "project", found);
}

/**
 * What was chosen with a file dialog.
 * @throws Error in words for the person who chose it
 */
export async function readChosen(chosen: Iterable<File>): Promise<DroppedProject> {
  const files = [...chosen];
  const [first] = files;
  if (!first) throw new Error("Nothing was chosen.");
  if (files.length === 1 && ARCHIVE.test(first.name)) return { kind: "archive", file: first };
  const found: Found = { files: [], leftOut: new Set() };
  for (const file of files) {
    const [, ...parts] = (file.webkitRelativePath || `./${file.name}`).split("/");
    const hidden = parts.find(isLeftOut);
    if (parts.length === 1 && parts[0] === ".env") found.environment = file;
    if (hidden === undefined) found.files.push({ path: parts.join("/"), content: file });
    else found.leftOut.add(hidden);
  }
  return folderOf(first.webkitRelativePath.split("/")[0] || "project", found);
}

/** The configuration file of a project that lies highest; undefined when it has none. */
export function configPathOf(files: readonly { path: string }[]): string | undefined {
  const depth = (path: string) => path.split("/").length;
  return files
    .map(({ path }) => path)
    .filter((path) => /(?:^|\/)(?:graph|langgraph)\.json$/.test(path))
    .sort((a, b) => depth(a) - depth(b) || a.localeCompare(b))[0];
}

async function folderOf(name: string, { files, leftOut, environment }: Found): Promise<DroppedProject> {
  if (files.length === 0) throw new Error(`There are no files in ${name} that could be deployed.`);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const shared = { kind: "folder" as const, name, files, leftOut: [...leftOut].sort() };
  return environment ? { ...shared, environment: await environment.text() } : shared;
}

async function collect(entry: FileSystemEntry, folder: string, found: Found): Promise<void> {
  if (folder === "" && entry.name === ".env" && isFile(entry)) found.environment = await fileOf(entry);
  if (isLeftOut(entry.name)) {
    found.leftOut.add(entry.name);
    return;
  }
  const path = folder + entry.name;
  if (isFile(entry)) found.files.push({ path, content: await fileOf(entry) });
  else if (isFolder(entry))
    for (const child of await childrenOf(entry)) await collect(child, `${path}/`, found);
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader gives a hundred at a time, and none at the end. */
async function childrenOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const more = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (more.length === 0) return children;
    children.push(...more);
  }
}

/** Made by tools, or for one machine only; and what holds secrets. As `berth deploy` leaves them out. */
const NEVER = new Set([
  ...[".git", ".hg", ".svn", "node_modules", ".DS_Store"],
  ...["__pycache__", ".venv", "venv", ".tox", ".mypy_cache"],
  ...[".dev.vars", ".netrc"],
]);
const ENVIRONMENT = /^\.env(?:\..+)?$/;
const SAMPLE = /^\.env\.(?:example|sample|template)$/;

/** Whether a file or folder of that name stays behind when a project is uploaded. */
export function isLeftOut(name: string): boolean {
  return NEVER.has(name) || (ENVIRONMENT.test(name) && !SAMPLE.test(name));
}

/** A project as the server takes it: a gzipped tar of a folder, or the archive that was dropped. */
export function packed(project: DroppedProject): Promise<Blob> {
  if (project.kind === "archive") return Promise.resolve(project.file);
  const pieces = tarOf(project.files);
  const tar = new ReadableStream<BufferSource>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
  return new Response(tar.pipeThrough(new CompressionStream("gzip"))).blob();
}
