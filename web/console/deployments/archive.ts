import { WORDS } from "./words.tsx";
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
  if (!first) throw new Error(WORDS.dropAFolder);
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
  if (!first) throw new Error(WORDS.nothingChosen);
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
  if (files.length === 0) throw new Error(WORDS.noFilesToDeploy(name));
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

/**
 * Writes tar archives as POSIX has them (IEEE 1003.1, `pax`): blocks of 512 bytes, a header before each file, two
 * empty blocks at the end. A path that the header has no room for goes before it in a record of its own.
 */

/** A file of an archive; `path` is relative, with `/` between its parts. */
type ArchiveFile = { path: string; content: Blob };

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const encoder = new TextEncoder();

/** The bytes of an archive, piece by piece; of its files no more than a piece is in memory. */
async function* tarOf(files: Iterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for (const { path, content } of files) {
    const isProgram = (await content.slice(0, 2).text()) === "#!";
    yield headOf(path, content.size, isProgram ? 0o755 : 0o644);
    yield* piecesOf(content);
    yield new Uint8Array(paddingOf(content.size));
  }
  yield new Uint8Array(2 * BLOCK);
}

async function* piecesOf(content: Blob): AsyncGenerator<Uint8Array> {
  const reader = content.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** What comes before a file: its header, and before that its path where the header has no room for it. */
function headOf(path: string, size: number, mode: number): Uint8Array {
  const place = placeOf(path);
  if (place) return header({ ...place, size, mode, type: "0" });
  const record = paxRecord("path", path);
  const body = new Uint8Array(record.length + paddingOf(record.length));
  body.set(record);
  return joined([
    header({ name: encoder.encode("PaxHeader"), prefix: none, size: record.length, mode, type: "x" }),
    body,
    // Readers that know no records see the end of the path.
    header({ name: encoder.encode(path).slice(-NAME_BYTES), prefix: none, size, mode, type: "0" }),
  ]);
}

const none = new Uint8Array(0);

type Place = { name: Uint8Array; prefix: Uint8Array };

/** A path in the two fields of a header; undefined when it does not fit. */
function placeOf(path: string): Place | undefined {
  const bytes = encoder.encode(path);
  if (bytes.length <= NAME_BYTES) return { name: bytes, prefix: none };
  const slash = "/".charCodeAt(0);
  for (let at = bytes.length - NAME_BYTES - 1; at <= PREFIX_BYTES && at < bytes.length - 1; at += 1)
    if (at > 0 && bytes[at] === slash) return { prefix: bytes.slice(0, at), name: bytes.slice(at + 1) };
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return encoder.encode(`${length} ${key}=${value}\n`);
}

type Header = Place & { size: number; mode: number; type: "0" | "x" };

function header({ name, prefix, size, mode, type }: Header): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  block.set(name, 0);
  put(100, `${octal(mode, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(148, " ".repeat(8));
  put(156, type);
  put(257, "ustar\u000000");
  block.set(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return block;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
