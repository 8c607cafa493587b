import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import type { DatabaseFacts } from "@berth/store";
import type { Settings, Texts } from "../settings/index.ts";
import { commit, VERSION } from "../version.ts";
import { countPacked, isArchive, pack } from "./archive.ts";
import { BackupRoom } from "./backup-room.ts";
import { ForeignCopies } from "./foreign-copies.ts";
import { removeLeftOvers } from "./left-overs.ts";
import { type MainDatabase, mainDatabase } from "./main-database.ts";
import {
  BackupError,
  DATA,
  DUMP_VERSION,
  FORMAT,
  FORMAT_VERSION,
  MAIN_DUMP,
  type Manifest,
  SPARSE_VERSION,
  told,
  writeManifest,
} from "./manifest.ts";
import { loadSeek } from "./sparse-file.ts";
import { Staging } from "./staging.ts";

export type BackupOrder = {
  settings: Pick<Settings, "dataDir" | "secretsKey" | "databaseUrl" | "databaseFile">;
  /** Of this process: a dump of a server takes its programs from there. */
  environment: Texts;
  /** An archive, where it ends so; else a folder. */
  to: string;
  withSecrets: boolean;
  /** Those that can be gone back to as well, not only those that serve or are on their way. */
  allBuilds?: boolean;
  /** Told of each thing that is taken along. */
  say?: (line: string) => void;
};

export type BackupResult = { path: string; bytes: number; manifest: Manifest; notes: string[] };

/** What an agent may have written that outlives its revisions. */
const OF_DEPLOYMENTS = ["data", "home"] as const;
/** A build may be removed between the look at the database and the copy; then the database is looked at again. */
const MOST_LOOKS = 3;
const SECRETS_KEY = "secrets.key";

/**
 * Makes a backup of everything in a data folder, while Berth runs or not. Until it is whole it has another name, and
 * what was acknowledged before this was called is in it.
 * @throws BackupError
 */
export async function makeBackup(order: BackupOrder): Promise<BackupResult> {
  const { settings, to } = order;
  const main = mainDatabase(settings, order.environment);
  await main.requireThere();
  if (existsSync(to) && (isArchive(to) || readdirSync(to).length > 0))
    throw new BackupError(`${to} is there already`);
  mkdirSync(dirname(to), { recursive: true });
  // What a backup to the same place left that was cut short.
  removeLeftOvers(dirname(to), new RegExp(`^\\.${RegExp.escape(basename(to))}\\.(\\d+)\\.partial$`));
  const draft = join(dirname(to), `.${basename(to)}.${process.pid}.partial`);
  const foreign = new ForeignCopies(settings);
  try {
    const room = new BackupRoom({
      folder: dirname(to),
      copies: isArchive(to) ? 2 : 1,
      reserved: databaseBytes(settings.databaseFile),
    });
    const staging = new Staging(join(draft, "content"), { foreign, room, seek: await loadSeek() });
    const manifest = await fill(staging, main, order);
    const whole = isArchive(to) ? await packed(staging, manifest, join(draft, "packed")) : staging.folder;
    const bytes = isArchive(to) ? statSync(whole).size : sum(manifest.files);
    if (existsSync(to)) rmSync(to, { recursive: true });
    renameSync(whole, to);
    syncFolder(dirname(to));
    return { path: to, bytes, manifest, notes: staging.notes };
  } catch (error) {
    throw told(error);
  } finally {
    foreign.close();
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies everything; the order sees to it that nothing falls between two of its parts. */
async function fill(
  staging: Staging,
  main: MainDatabase,
  { settings, withSecrets, allBuilds = false, say = () => undefined }: BackupOrder,
): Promise<Manifest> {
  const { dataDir } = settings;
  const as_of = new Date().toISOString();
  mkdirSync(staging.folder, { recursive: true, mode: 0o700 });
  // Before our own: what deployments have sent on is there again, and not gone.
  const copied = deploymentsIn(dataDir);
  for (const id of copied) copyDeployment(staging, dataDir, id);
  const facts = await copyMain(staging, main, { dataDir, allBuilds });
  staging.releaseRoom();
  say(`database: ${main.name}`);
  const meant = new Set(facts.deployments.map(({ id }) => id));
  for (const id of copied) if (!meant.has(id)) staging.drop(`${DATA}/deployments/${id}`);
  // Made since.
  for (const id of meant) if (!copied.includes(id)) copyDeployment(staging, dataDir, id);
  say(`deployments: ${meant.size}, with ${facts.builds.length} builds`);
  if (staging.leftOut.length > 0) staging.notes.push(databasesLeftOut(staging.leftOut));
  for (const name of KEPT_FILES) copyFiles(staging, dataDir, name);
  const key = join(dataDir, SECRETS_KEY);
  const hasKey = withSecrets && settings.secretsKey === null && existsSync(key);
  if (hasKey) staging.requiredFile(key, `${DATA}/${SECRETS_KEY}`);
  staging.notes.push(...leftOutNotes(staging));
  const manifest: Manifest = {
    ...{
      format: FORMAT,
      version: versionOf(main, staging),
      berth: VERSION,
      commit: commit(),
      host: hostname(),
    },
    ...{ as_of, finished_at: new Date().toISOString(), with_secrets: hasKey },
    ...{ folders: staging.folders, files: staging.files, links: staging.links },
    left_out: staging.leftOutFiles,
  };
  writeManifest(staging.folder, manifest);
  return manifest;
}

const databasesLeftOut = (names: readonly string[]) =>
  `databases of deployments on the server are not in it: ${names.join(", ")}. Dump each beside it: pg_dump --format=custom --file=NAME.pgdump --dbname=NAME, as a role that may read it`;

/** Berth's own database, and the builds that it names. */
async function copyMain(
  staging: Staging,
  main: MainDatabase,
  { dataDir, allBuilds }: { dataDir: string; allBuilds: boolean },
): Promise<DatabaseFacts> {
  for (let look = 1; ; look += 1) {
    const known = await main.copy(staging);
    const facts = { ...known, builds: known.builds.filter(({ is_spare }) => allBuilds || !is_spare) };
    const missing = facts.builds.filter(({ id }) => !copyBuild(staging, dataDir, id));
    if (!missing.some(({ is_active }) => is_active)) return facts;
    if (look === MOST_LOOKS) {
      const names = missing.map(({ id }) => id).join(", ");
      staging.notes.push(`the files of these revisions are missing, so that they cannot start: ${names}`);
      return facts;
    }
    staging.drop(main.path);
    for (const { id } of facts.builds) staging.drop(`${DATA}/builds/${id}`);
  }
}

function versionOf({ path }: MainDatabase, { files }: Staging): number {
  if (files.some(({ sparse }) => sparse !== undefined)) return SPARSE_VERSION;
  return path === MAIN_DUMP ? DUMP_VERSION : FORMAT_VERSION;
}

/** Size (bytes) of Berth's own database file with its write-ahead log. */
const databaseBytes = (file: string | null): number =>
  file === null ? 0 : sum([file, `${file}-wal`].map((path) => ({ bytes: sizeOf(path) })));

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** One line for each file that is not in the backup. */
function leftOutNotes({ leftOutFiles, leftOutCount }: Staging): string[] {
  const named = leftOutFiles.map(({ path, reason }) => `${path} is not in the backup: ${reason}`);
  const more = leftOutCount - leftOutFiles.length;
  return more > 0 ? [...named, `${more} more files are not in the backup`] : named;
}

function copyBuild(staging: Staging, dataDir: string, id: string): boolean {
  const from = join(dataDir, "builds", id);
  if (!existsSync(from)) return false;
  staging.tree(from, `${DATA}/builds/${id}`, null);
  return true;
}

function copyDeployment(staging: Staging, dataDir: string, id: string): void {
  for (const name of OF_DEPLOYMENTS) {
    const from = join(dataDir, "deployments", id, name);
    const about = lstatSync(from, { throwIfNoEntry: false });
    if (about) staging.tree(from, `${DATA}/deployments/${id}/${name}`, about);
  }
}

/** What was uploaded, and what was pushed. */
const KEPT_FILES = ["uploads", "registry"];

function copyFiles(staging: Staging, dataDir: string, kind: string): void {
  const folder = join(dataDir, kind);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (!name.endsWith(".part")) staging.file(join(folder, name), `${DATA}/${kind}/${name}`);
}

function deploymentsIn(dataDir: string): string[] {
  const folder = join(dataDir, "deployments");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** One file of it, read back from the disk. @throws BackupError */
async function packed(staging: Staging, manifest: Manifest, file: string): Promise<string> {
  await pack(staging.folder, file);
  const found = await countPacked(file);
  // The manifest itself is one more.
  if (found !== manifest.files.length + 1)
    throw new BackupError(`the archive has ${found} files where ${manifest.files.length + 1} were put in`);
  return file;
}

/** The new name itself has to be on the disk. */
function syncFolder(path: string): void {
  // Windows opens no folder, and keeps its names by itself.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const sum = (files: readonly { bytes: number }[]): number =>
  files.reduce((total, { bytes }) => total + bytes, 0);
