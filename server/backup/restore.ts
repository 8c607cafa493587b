import {
  chmodSync,
  cpSync,
  createReadStream,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { databaseFacts, forgetBuilds, forgetHolders, inspectDatabaseFile } from "@berth/store";
import type { Settings, Texts } from "../settings/index.ts";
import { unpack } from "./archive.ts";
import { type MainDatabase, mainDatabase } from "./main-database.ts";
import {
  BackupError,
  DATA,
  MAIN_DATABASE,
  MAIN_DUMP,
  type Manifest,
  readManifest,
  told,
} from "./manifest.ts";
import { expandSparse } from "./sparse-file.ts";
import { digestOf } from "./staging.ts";

type RestoreOrder = {
  settings: Pick<Settings, "dataDir" | "secretsKey" | "databaseUrl" | "databaseFile">;
  /** Of this process, as for a backup. */
  environment: Texts;
  /** An archive, the folder that a backup was made as, or an archive that comes from elsewhere. */
  from: string | ArchiveElsewhere;
};

/** The bytes of an archive, and what it is called. */
export type ArchiveElsewhere = { name: string; open(): Readable };

type RestoreResult = { manifest: Manifest; notes: string[] };

/** Where it is put together; the database comes out of it last. */
const DRAFT = ".restoring";
/** What may lie in a folder that nothing is in. */
const NOTHING = new Set([".gitignore", ".gitkeep", "lost+found", ".DS_Store"]);

/**
 * Puts a backup into an empty data folder, and into an empty database where that is on a server, read through from its first byte to its last before anything is in its
 * place. Whatever the Berth of then had under way is free for the next start to take up.
 * @throws BackupError
 */
export async function restoreBackup({ settings, environment, from }: RestoreOrder): Promise<RestoreResult> {
  const main = mainDatabase(settings, environment);
  await main.refuseUsed();
  refuseUsed(settings.dataDir);
  if (typeof from === "string" && !existsSync(from)) throw new BackupError(`there is no ${from}`);
  const { dataDir } = settings;
  const draft = join(dataDir, DRAFT);
  // The first folder that was not there; those above the data folder may be missing, too.
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(draft, { mode: 0o700 });
    await bring(from, draft);
    const manifest = readManifest(draft);
    verify(draft, manifest, main);
    const notes = notesOf(manifest, settings, main);
    for (const file of filesOf(manifest)) await forgetHolders(`sqlite:${join(draft, file)}`);
    await forgetLeftOut(await main.bring(draft, manifest), draft);
    for (const { path, sparse } of manifest.files) if (sparse) expandSparse(join(draft, path), sparse);
    giveBack(draft, manifest);
    // The database last, so that there is nothing to start with before all of it is there.
    moveIn(draft, dataDir);
    await main.finish(draft);
    rmSync(draft, { recursive: true, force: true });
    return { manifest, notes };
  } catch (error) {
    await main.undo().catch(() => undefined);
    rmSync(made ?? draft, { recursive: true, force: true });
    throw told(error);
  }
}

/** @throws BackupError */
async function bring(from: RestoreOrder["from"], draft: string): Promise<void> {
  if (typeof from !== "string") return unpack(from.open(), from.name, draft);
  if (!statSync(from).isDirectory()) return unpack(createReadStream(from), from, draft);
  readManifest(from);
  cpSync(from, draft, { recursive: true });
}

/** @throws BackupError */
function refuseUsed(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const found = readdirSync(dataDir).filter((name) => !NOTHING.has(name));
  if (found.includes(DRAFT))
    throw new BackupError(`an earlier restore was cut short: remove ${join(dataDir, DRAFT)} first`);
  if (found.length > 0)
    throw new BackupError(`${dataDir} is not empty (${found[0]}): restore into an empty folder`);
}

/** @throws BackupError it is not what was backed up */
function verify(draft: string, { files }: Manifest, main: MainDatabase): void {
  if (!files.some(({ path }) => path === main.path)) throw new BackupError(lackOf(files, main));
  for (const { path, bytes, sha256, rows } of files) {
    const file = join(draft, path);
    if (!existsSync(file)) throw new BackupError(`the backup lacks ${path}`);
    const found = digestOf(file);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BackupError(`${path} is not what was backed up: the backup is damaged`);
    if (rows !== undefined && path !== MAIN_DUMP) verifyDatabase(file, path, rows);
  }
}

/** Why the database of a backup cannot be brought where this one's is to be. */
function lackOf(files: Manifest["files"], { path, name }: MainDatabase): string {
  const other = [MAIN_DATABASE, MAIN_DUMP].find(
    (one) => one !== path && files.some((file) => file.path === one),
  );
  if (other === undefined) return `the backup lacks ${path}`;
  return other === MAIN_DUMP
    ? `the backup is of a database on a Postgres server, and ${name} is a file: set DATABASE_URL to an empty database, and copy it with "berth migrate --to sqlite:PATH" then`
    : `the backup is of a database file, and ${name} is on a server: restore it without DATABASE_URL, and copy it with "berth migrate --to postgres://…" then`;
}

function verifyDatabase(file: string, path: string, rows: Record<string, number>): void {
  const report = inspectDatabaseFile(file);
  if (report.faults.length > 0) throw new BackupError(`${path} is damaged: ${report.faults[0]}`);
  const wrong = Object.keys(rows).find((table) => report.rows[table] !== rows[table]);
  if (wrong !== undefined)
    throw new BackupError(`${path} has ${report.rows[wrong]} rows in ${wrong}, not ${rows[wrong]}`);
}

function notesOf(
  { files, with_secrets, left_out = [] }: Manifest,
  { secretsKey }: RestoreOrder["settings"],
  main: MainDatabase,
): string[] {
  const leftOut = left_out.map(({ path, reason }) => `${path} is not in the backup: ${reason}`);
  if (with_secrets || secretsKey !== null) return leftOut;
  const count = files.find(({ path }) => path === main.path)?.rows?.deployments ?? 0;
  const what =
    "the backup holds no key of the secrets: put secrets.key back, or set SECRETS_KEY, before the start";
  return count > 0 ? [...leftOut, what] : leftOut;
}

/** Builds that were not taken along can be gone back to no more. */
async function forgetLeftOut(url: string, draft: string): Promise<void> {
  const { builds } = await databaseFacts(url);
  const gone = builds.filter(({ id, is_spare }) => is_spare && !existsSync(join(draft, DATA, "builds", id)));
  if (gone.length === 0) return;
  await forgetBuilds(
    url,
    gone.map(({ id }) => id),
  );
}

/** The database files of a Berth: its own, and those of deployments. */
const filesOf = ({ files }: Manifest): string[] =>
  files
    .filter(({ path, rows }) => path !== MAIN_DUMP && rows !== undefined && "berth_migrations" in rows)
    .map(({ path }) => path);

/** Gives everything the owner and the rights that it had, and makes the links again. */
function giveBack(draft: string, { folders, files, links }: Manifest): void {
  const isRoot = process.getuid?.() === 0;
  for (const { path, target } of links) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    symlinkSync(target, join(draft, path));
  }
  // From the inside out: a folder may be closed to those who have to look into it.
  const inner = folders.toSorted((one, other) => other.path.length - one.path.length);
  for (const { path, mode } of [...files, ...inner]) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    if (existsSync(join(draft, path))) chmodSync(join(draft, path), mode);
    else mkdirSync(join(draft, path), { recursive: true, mode });
  }
  if (!isRoot) return;
  for (const { path, uid, gid } of [...files, ...links, ...inner]) lchownSync(join(draft, path), uid, gid);
  // Taken away by the change of owner.
  for (const { path, mode } of [...files, ...inner]) chmodSync(join(draft, path), mode);
  openRoots(draft);
}

/** Mode of folders that the users of deployments pass through to their own; they list nothing. */
const PASSABLE = 0o711;

/** Opens the folders above those of deployments, as a start does: a backup before it reads databases as their owners. */
function openRoots(draft: string): void {
  const deployments = join(draft, DATA, "deployments");
  if (!existsSync(deployments)) return;
  const roots = readdirSync(deployments, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(deployments, name));
  for (const path of [deployments, ...roots]) chmodSync(path, PASSABLE);
}

/** Each at its place in the data folder. */
function moveIn(draft: string, dataDir: string): void {
  const data = join(draft, DATA);
  if (!existsSync(data)) return;
  for (const name of readdirSync(data)) renameSync(join(data, name), join(dataDir, name));
}
