import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whose something was, and what they may do with it. */
export type Owned = { mode: number; uid: number; gid: number };

/** A range of a file that holds data: everything outside is a hole, which reads as zeros. */
type DataRange = readonly [offset: number, bytes: number];

/** Where the stored bytes of a sparse file belong. */
export type SparseLayout = {
  /** Size (bytes) of the file with its holes. */
  bytes: number;
  /** Ascending. */
  data: DataRange[];
};

export type BackedFile = Owned & {
  /** Below the backup, with slashes. */
  path: string;
  bytes: number;
  sha256: string;
  /** Of a database: its rows by table. */
  rows?: Record<string, number>;
  /** Of a file with holes: `bytes` and `sha256` are those of its data, and the holes are made again. */
  sparse?: SparseLayout;
};

/** A file that is not in the backup, and why. */
export type LeftOutFile = { path: string; reason: string };

export type BackedFolder = Owned & { path: string };

/** Links are written down here and not put into the backup: an archive without links unpacks safely. */
export type BackedLink = { path: string; target: string; uid: number; gid: number };

/** What a backup holds. */
export type Manifest = {
  format: typeof FORMAT;
  version: number;
  /** Version of the Berth that made it. */
  berth: string;
  /** Its commit; null or missing where it is not known. */
  commit?: string | null;
  host: string;
  /** Everything that was acknowledged before is in it. */
  as_of: string;
  finished_at: string;
  with_secrets: boolean;
  folders: BackedFolder[];
  files: BackedFile[];
  links: BackedLink[];
  /** At most {@link MAX_LEFT_OUT}. */
  left_out?: LeftOutFile[];
};

/** Maximum number of files that a manifest names as left out, because a deployment decides how many there are. */
export const MAX_LEFT_OUT = 100;

export const FORMAT = "berth-backup";
/** Of a backup with a database file. */
export const FORMAT_VERSION = 1;
/** Of one with the dump of a server, which an older Berth cannot restore. */
export const DUMP_VERSION = 2;
/** Of one with sparse files, which an older Berth would restore without their holes. */
export const SPARSE_VERSION = 3;
const NAME = "manifest.json";

/** Below the backup: what is in the data folder beside Berth's own database. */
export const DATA = "data";
/** What that is called there, whatever it is called where it is used. Backups of 0.1.0 have one of the engine's beside it. */
export const MAIN_DATABASE = "databases/berth.db";
/** What stands in its place where the database is on a Postgres server: what `pg_dump` wrote. */
export const MAIN_DUMP = "databases/berth.pgdump";

/** The backup, or what is taken for one, cannot be used; the message is one line. */
export class BackupError extends Error {
  override name = "BackupError";
}

/** What the system or SQLite refuses (no room, no right) is told in its own words; the rest is a fault of ours. */
export function told(error: unknown): unknown {
  if (error instanceof BackupError || !(error instanceof Error) || !("code" in error)) return error;
  return new BackupError(error.message, { cause: error });
}

/** Writes the manifest of the backup in a folder. */
export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, NAME), JSON.stringify(manifest), { mode: 0o600, flush: true });
}

/** @throws BackupError the folder is no backup, or one of a newer Berth */
export function readManifest(folder: string): Manifest {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(join(folder, NAME), "utf8"));
  } catch {
    throw new BackupError(`this is no backup of Berth: it has no ${NAME}`);
  }
  const manifest = found as Manifest;
  if (manifest?.format !== FORMAT) throw new BackupError(`this is no backup of Berth: see its ${NAME}`);
  if (manifest.version > SPARSE_VERSION)
    throw new BackupError(
      `Berth ${manifest.berth} made this backup: restore it with that one, or a later one`,
    );
  const paths = [...manifest.files, ...manifest.folders, ...manifest.links].map(({ path }) => path);
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined)
    throw new BackupError(`this backup names something outside of itself: ${outside}`);
  return manifest;
}

const isInside = (path: string): boolean =>
  !path.startsWith("/") && path.split("/").every((part) => part !== ".." && part !== "");
