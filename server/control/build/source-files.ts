import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { BuildFailed } from "./order.ts";

const MOST_BYTES = 2 ** 20;

/** The text of a small plain file; undefined where there is none, for a link in its place, and for a path that leaves `root`. */
export async function textInside(
  root: string,
  path: string,
  maxBytes = MOST_BYTES,
): Promise<string | undefined> {
  const handle = await openInside(root, path);
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    if (stat.size > maxBytes) throw new BuildFailed(`${path} is larger than ${maxBytes} bytes`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Whether there is a plain file, and no link in its place. */
export async function isPlainFile(root: string, path: string): Promise<boolean> {
  const handle = await openInside(root, path);
  const stat = await handle?.stat();
  await handle?.close();
  return stat?.isFile() ?? false;
}

// Read with Berth's own rights, so by its real path only: a link could lead anywhere.
async function openInside(root: string, path: string) {
  const base = await realpath(root);
  const wanted = join(base, path);
  if (!wanted.startsWith(base.endsWith(sep) ? base : base + sep)) return undefined;
  const real = await realpath(wanted).catch(() => undefined);
  if (real !== wanted) return undefined;
  return open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
}
