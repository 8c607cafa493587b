import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { putExecutable } from "./executable.ts";
import { run, temporaryFolder } from "./program.ts";

/** A machine on which nothing is installed, as far as a program in it can see. */
export type BareRoot = {
  /** Where its `/` lies here. */
  path: string;
  /** A command in a folder of it. */
  command(words: string[], cwd: string): string[];
  remove(): void;
};

export const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** What resolves names and tells good certificates from bad ones. */
const OF_THE_NETWORK = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", CERTIFICATES];
/** The parts of the C library that look up names. */
const RESOLVERS = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];

/** Mounts what no machine is without, and starts the command there. The mounts end with it. */
const ENTER = [
  'root="$0" && folder="$1" && shift',
  'mount --bind /dev/null "$root/dev/null"',
  'mount -t proc proc "$root/proc"',
  'exec unshare --root="$root" --wd="$folder" "$@"',
].join(" && ");

/** Why there is no bare machine here; undefined where there is. */
export function noBareRoot(): string | undefined {
  if (process.platform !== "linux") return "a bare machine is made on Linux only";
  if (process.getuid?.() !== 0) return "a bare machine is made by root only";
  if (!Bun.which("unshare") || !Bun.which("ldd")) return "there is no unshare or ldd";
  const { exitCode } = Bun.spawnSync(["unshare", "--mount", "true"], { stderr: "ignore" });
  return exitCode === 0 ? undefined : "root may mount nothing here, and a bare machine needs a /proc as well";
}

/** Makes a root with the executable, the C library, files of the network, `/tmp`, and nothing else. */
export async function bareRoot(): Promise<BareRoot> {
  const folder = temporaryFolder();
  const { path } = folder;
  // Deployments are users of their own, and start the executable that lies in here.
  chmodSync(path, 0o755);
  for (const name of ["bin", "dev", "proc", "tmp"]) mkdirSync(join(path, name));
  chmodSync(join(path, "tmp"), 0o1777);
  writeFileSync(join(path, "dev", "null"), "");
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
  return {
    path,
    command: (words, cwd) => ["unshare", "--mount", "sh", "-c", ENTER, path, cwd, ...words],
    remove: folder.remove,
  };
}
