import { setPriority } from "node:os";
import { join } from "node:path";

/** A start that is over sooner is one of many, between which sources change. */
const AFTER_MS = 30_000;
/** Behind all else that a machine does. */
const LOWEST = 19;

/**
 * Compiles the sources for later starts, in a process of its own, once this one has run for a while. Where that cannot
 * be (the folder belongs to somebody else), later starts read the sources as this one did.
 * @param root of the repository
 */
export function compileLater(root: string): void {
  setTimeout(() => {
    try {
      const command = [process.execPath, "--no-install", "--no-env-file", join(root, "server/ahead/main.ts")];
      const child = Bun.spawn(command, { cwd: root, stdio: ["ignore", "ignore", "ignore"] });
      child.unref();
      setPriority(child.pid, LOWEST);
    } catch {
      // It is as good as without.
    }
  }, AFTER_MS).unref();
}
