/** A `uv.lock`, with what is installed by it. */
export type UvLock = {
  /** Relative to the root of the source. */
  file: string;
  /** Absolute folder that it is in. */
  folder: string;
  /** The member of the workspace whose packages are installed; null where it is no workspace. */
  package: string | null;
  /** Absolute folders and files of the source that are installed once the other packages are. */
  locals: string[];
};

/** The list of packages that uv makes of a lock file, beside it. */
export const EXPORTED_REQUIREMENTS = ".berth-requirements.txt";

/**
 * Returns the arguments by which uv makes the list: with the hashes of the lock file, which the installation then
 * verifies, and without the members of its workspace, which have none.
 */
export const uvExportArguments = ({ package: name }: UvLock): string[] => [
  ...["export", "--quiet", "--frozen", "--no-dev", "--no-emit-workspace"],
  ...(name === null ? [] : ["--package", name]),
  ...["-o", EXPORTED_REQUIREMENTS],
];
