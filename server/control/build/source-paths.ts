import { join, normalize, sep } from "node:path";
import { BuildFailed } from "./order.ts";

/**
 * Returns the path, relative to the root of the source, of a folder or file that a project's file names. That of the
 * root itself is empty.
 * @param folder of the naming file, relative to the root
 * @param named what it names: a path relative to `folder`
 * @param where what names it, for the error
 * @throws BuildFailed it leads out of the source
 */
export function pathInSource(folder: string, named: string, where: string): string {
  const path = normalize(join(folder, named));
  if (path === ".." || path.startsWith(`..${sep}`) || named.startsWith("/") || named.includes("\0"))
    throw new BuildFailed(`${where}: ${named.slice(0, MAX_SHOWN_CHARS)} is not in the source`);
  return path === "." ? "" : path.replace(/\/$/, "");
}

const MAX_SHOWN_CHARS = 200;

/** A folder and those above it, up to the root: `a/b`, `a` and an empty text. */
export function foldersUpwards(folder: string): string[] {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  return [...parts.keys(), parts.length].reverse().map((length) => parts.slice(0, length).join("/"));
}
