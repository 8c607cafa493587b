import { chmodSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { putExecutable } from "./executable.ts";
import { type Ended, run, temporaryFolder } from "./program.ts";

/** A machine on which nothing is installed, as far as a program in it can see. */
export type BareRoot = {
  /** Where its `/` lies here. */
  path: string;
  /** A command in it. */
  command(words: string[]): string[];
  /** Runs a command in it to its end, in a folder of it, and with nothing of this environment. */
  run(words: string[], cwd: string, env: Record<string, string>): Promise<Ended>;
  remove(): void;
};

/** What resolves names and tells good certificates from bad ones. */
const OF_THE_NETWORK = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl/certs/ca-certificates.crt",
];
/** The parts of the C library that look up names. */
const RESOLVERS = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];

/** Why there is no bare machine here; undefined where there is. */
export function noBareRoot(): string | undefined {
  if (process.platform !== "linux") return "a bare machine is made on Linux only";
  if (process.getuid?.() !== 0) return "a bare machine is made by root only (chroot)";
  return Bun.which("chroot") && Bun.which("ldd") ? undefined : "there is no chroot or ldd";
}

/** Makes a root with the executable, the C library, files of the network, `/tmp`, and nothing else. */
export async function bareRoot(): Promise<BareRoot> {
  const folder = temporaryFolder();
  const { path } = folder;
  // Deployments are users of their own, and start the executable that lies in here.
  chmodSync(path, 0o755);
  for (const name of ["bin", "tmp"]) mkdirSync(join(path, name));
  chmodSync(join(path, "tmp"), 0o1777);
  const berth = join(path, "bin", "berth");
  await putExecutable(berth);
  const { out } = await run(["ldd", berth], path);
  const libraries = [...out.matchAll(/\/\S+(?= \()/g)].map(([library]) => library);
  const beside = libraries.map(dirname).flatMap((where) => RESOLVERS.map((name) => join(where, name)));
  for (const file of new Set([...libraries, ...beside, ...OF_THE_NETWORK])) {
    if (file === berth || !existsSync(file)) continue;
    mkdirSync(join(path, dirname(file)), { recursive: true });
    cpSync(file, join(path, file), { dereference: true });
  }
  const command = (words: string[]) => ["chroot", path, ...words];
  return {
    path,
    command,
    run: (words, cwd, env) => runBare(command(words), join(path, cwd), env),
    remove: folder.remove,
  };
}
