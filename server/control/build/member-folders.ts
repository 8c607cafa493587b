import { join } from "node:path";
import {
  MAX_MEMBER_GLOBS,
  MAX_MEMBERS,
  memberFileGlob,
  memberGlobFault,
  memberMatcher,
} from "../../sources/index.ts";
import { BuildFailed } from "./order.ts";

/** Where the members of a workspace are searched, and by which of their files. */
type MemberSearch = {
  root: string;
  /** Relative to the root. */
  workspace: string;
  globs: readonly string[];
  /** `package.json` or `pyproject.toml`. */
  file: string;
  /** Name of the folder that holds installed packages: what is below it is no member. */
  installed: string;
};

/** Maximum number of files that the patterns of a workspace find, with those that other patterns exclude. */
const MAX_FOUND_FILES = 10_000;

/** @throws BuildFailed a pattern could lead out of the source, or there are too many */
export function refusePatterns(path: string, globs: readonly string[]): void {
  if (globs.length > MAX_MEMBER_GLOBS)
    throw new BuildFailed(`${path} has more than ${MAX_MEMBER_GLOBS} workspace patterns`);
  for (const glob of globs) {
    const fault = memberGlobFault(glob);
    if (fault) throw new BuildFailed(`${path}: ${fault}`);
  }
}

/**
 * Finds the folders of a workspace's members, relative to the workspace's folder, each once. Patterns may find the same
 * folder again and again.
 * @throws BuildFailed there are too many
 */
export async function memberFolders(
  { root, workspace, globs, file, installed }: MemberSearch,
  maxFound = MAX_FOUND_FILES,
): Promise<string[]> {
  const isMember = memberMatcher(globs);
  const found = new Set<string>();
  const folders: string[] = [];
  for (const glob of globs.filter((one) => !one.startsWith("!"))) {
    const scan = new Bun.Glob(memberFileGlob(glob, file)).scan({
      cwd: join(root, workspace),
      onlyFiles: true,
    });
    for await (const path of scan) {
      const folder = path.slice(0, -file.length - 1);
      if (found.has(folder) || folder.split("/").includes(installed)) continue;
      found.add(folder);
      if (isMember(folder)) folders.push(folder);
      if (folders.length > MAX_MEMBERS)
        throw new BuildFailed(`The workspace has more than ${MAX_MEMBERS} members`);
      if (found.size > maxFound)
        throw new BuildFailed(`The workspace patterns find more than ${maxFound} files ${file}`);
    }
  }
  return folders;
}
