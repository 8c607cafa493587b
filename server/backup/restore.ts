import {
  chmodSync,
  copyFileSync,
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
import {
  claimDatabaseFile,
  databaseFacts,
  forgetBuilds,
  forgetHolders,
  inspectDatabaseFile,
  makePrivateFolder,
  schemaStatus,
} from "@berth/store";
import type { Settings } from "../settings/index.ts";
import { unpack } from "./archive.ts";
import { BackupError, DATA, MAIN_DATABASE, type Manifest, readManifest, told } from "./manifest.ts";
import { digestOf } from "./staging.ts";

export type RestoreOrder = {
  settings: Pick<Settings, "dataDir" | "secretsKey"> & { databaseFile: string };
  /** An archive, the folder that a backup was made as, or an archive that comes from elsewhere. */
  from: string | ArchiveElsewhere;
};

/** The bytes of an archive, and what it is called. */
export type ArchiveElsewhere = { name: string; open(): Readable };

export type RestoreResult = { manifest: Manifest; notes: string[] };

/** Where it is put together; the database comes out of it last. */
const DRAFT = ".restoring";
/** What may lie in a folder that nothing is in. */
const NOTHING = new Set([".gitignore", ".gitkeep", "lost+found", ".DS_Store"]);

/**
 * Puts a backup into an empty data folder, read through from its first byte to its last before anything is in its
 * place. Whatever the Berth of then had under way is free for the next start to take up.
 * @throws BackupError
 */
export async function restoreBackup({ settings, from }: RestoreOrder): Promise<RestoreResult> {
  refuseUsed(settings);
  if (typeof from === "string" && !existsSync(from)) throw new BackupError(`there is no ${from}`);
  const { dataDir, databaseFile } = settings;
  const draft = join(dataDir, DRAFT);
  // The first folder that was not there; those above the data folder may be missing, too.
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(draft, { mode: 0o700 });
    await bring(from, draft);
    const manifest = readManifest(draft);
    verify(draft, manifest);
    const notes = notesOf(manifest, settings);
    for (const file of databasesOf(manifest)) forgetHolders(join(draft, file));
    forgetLeftOut(draft);
    giveBack(draft, manifest);
    moveIn(draft, { dataDir, databaseFile });
    rmSync(draft, { recursive: true, force: true });
    return { manifest, notes };
  } catch (error) {
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
function refuseUsed({
  dataDir,
  databaseFile,
}: Pick<RestoreOrder["settings"], "dataDir" | "databaseFile">): void {
  if (existsSync(databaseFile))
    throw new BackupError(
      `${databaseFile} is there: stop Berth, move its data away, and restore into an empty folder`,
    );
  if (!existsSync(dataDir)) return;
  const found = readdirSync(dataDir).filter((name) => !NOTHING.has(name));
  if (found.includes(DRAFT))
    throw new BackupError(`an earlier restore was cut short: remove ${join(dataDir, DRAFT)} first`);
  if (found.length > 0)
    throw new BackupError(`${dataDir} is not empty (${found[0]}): restore into an empty folder`);
}

/** @throws BackupError it is not what was backed up */
function verify(draft: string, { files }: Manifest): void {
  for (const { path, bytes, sha256, rows } of files) {
    const file = join(draft, path);
    if (!existsSync(file)) throw new BackupError(`the backup lacks ${path}`);
    const found = digestOf(file);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BackupError(`${path} is not what was backed up: the backup is damaged`);
    if (rows !== undefined) verifyDatabase(file, path, rows);
  }
  if (!files.some(({ path }) => path === MAIN_DATABASE))
    throw new BackupError(`the backup lacks ${MAIN_DATABASE}`);
  const { unknown } = schemaStatus(join(draft, MAIN_DATABASE));
  if (unknown.length > 0)
    throw new BackupError(`a newer Berth made this backup (${unknown.join(", ")}): restore it with that one`);
}

function verifyDatabase(file: string, path: string, rows: Record<string, number>): void {
  const report = inspectDatabaseFile(file);
  if (report.faults.length > 0) throw new BackupError(`${path} is damaged: ${report.faults[0]}`);
  const wrong = Object.keys(rows).find((table) => report.rows[table] !== rows[table]);
  if (wrong !== undefined)
    throw new BackupError(`${path} has ${report.rows[wrong]} rows in ${wrong}, not ${rows[wrong]}`);
}

function notesOf({ files, with_secrets }: Manifest, { secretsKey }: RestoreOrder["settings"]): string[] {
  if (with_secrets || secretsKey !== null) return [];
  const count = files.find(({ path }) => path === MAIN_DATABASE)?.rows?.deployments ?? 0;
  const what =
    "the backup holds no key of the secrets: put secrets.key back, or set SECRETS_KEY, before the start";
  return count > 0 ? [what] : [];
}

/** Builds that were not taken along can be gone back to no more. */
function forgetLeftOut(draft: string): void {
  const file = join(draft, MAIN_DATABASE);
  const gone = databaseFacts(file).builds.filter(
    ({ id, is_spare }) => is_spare && !existsSync(join(draft, DATA, "builds", id)),
  );
  if (gone.length > 0)
    forgetBuilds(
      file,
      gone.map(({ id }) => id),
    );
}

/** Berth's own, and those of deployments. */
const databasesOf = ({ files }: Manifest): string[] =>
  files.filter(({ rows }) => rows !== undefined && "berth_migrations" in rows).map(({ path }) => path);

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
}

/** Each at its place; the database last, so that there is nothing to start with before all of it is there. */
function moveIn(
  draft: string,
  { dataDir, databaseFile }: Pick<RestoreOrder["settings"], "dataDir" | "databaseFile">,
): void {
  const data = join(draft, DATA);
  if (existsSync(data))
    for (const name of readdirSync(data)) renameSync(join(data, name), join(dataDir, name));
  makePrivateFolder(dirname(databaseFile));
  moveFile(join(draft, MAIN_DATABASE), databaseFile);
  // Whatever mode it had where it comes from.
  claimDatabaseFile(databaseFile);
}

/** The database may have its place on another disk. */
function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    const draft = `${to}.${process.pid}`;
    copyFileSync(from, draft);
    const { mode, uid, gid } = statSync(from);
    chmodSync(draft, mode & 0o7777);
    if (process.getuid?.() === 0) lchownSync(draft, uid, gid);
    renameSync(draft, to);
  }
}
