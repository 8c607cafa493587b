import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../e2e/condition.ts";
import { type Ended, run, temporaryFolder } from "../program.ts";

/** A Linux machine with systemd, nginx and a name, and nothing of Berth yet: its own files, network and processes. */
export type Machine = {
  /** A path of it, as it is called here. */
  path(there: string): string;
  /** A program on it, in the operator's folder, until it ends. */
  run(words: string[]): Promise<Ended>;
  /** The words that start a program on it. */
  command(words: string[]): string[];
  remove(): Promise<void>;
};

export const NAME = "berth.example.com";
/** The operator's folder. */
export const HOME = "/srv/operator";
const CERTIFICATE = `/etc/letsencrypt/live/${NAME}/fullchain.pem`;
const OWN = ["etc", "var", "srv", "run", "usr/local/bin"];
const FOLDERS = ["var/log/nginx", "var/lib/nginx", "var/backups", "var/tmp", "srv/operator"];

/** Its own folders in the place of those here; the first process of it then waits for the end of its input. */
const BEGIN = `set -e
mount --make-rprivate /
for name in ${OWN.join(" ")}; do mount --bind "$0/$name" "/$name"; done
mount -t proc proc /proc
ip link set lo up
nginx
echo up
while read -r _; do :; done`;

/** Why there are no such machines here; undefined where there are. */
export function noMachine(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "such a machine is made by root on Linux only";
  const missing = ["unshare", "nsenter", "ip", "nginx", "openssl", "curl", "python3"].find(
    (name) => !Bun.which(name),
  );
  if (missing) return `${missing} is not installed`;
  const { exitCode } = Bun.spawnSync(["unshare", "--mount", "--net", "--pid", "--fork", "true"], {
    stderr: "ignore",
  });
  return exitCode === 0 ? undefined : "root may make no namespaces here";
}

export async function machine(): Promise<Machine> {
  const folder = temporaryFolder();
  const path = (there: string) => join(folder.path, there);
  await furnish(path);
  const unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"];
  const first = Bun.spawn([...unshare, "bash", "-c", BEGIN, folder.path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said = await first.stdout.getReader().read();
  if (new TextDecoder().decode(said.value) !== "up\n") throw new Error("the machine did not come up");
  const [pid = ""] = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, "utf8").split(" ");
  const enter = ["nsenter", "--target", pid, "--mount", "--net", "--pid", "env", `--chdir=${HOME}`];
  const settings = [
    ...["-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", `HOME=${HOME}`, "NO_COLOR=1"],
    // Nobody else signed the certificate of the page.
    ...[`CURL_CA_BUNDLE=${CERTIFICATE}`, `NODE_EXTRA_CA_CERTS=${CERTIFICATE}`],
  ];
  const command = (words: string[]) => [...enter, ...settings, ...words];
  return {
    path,
    command,
    run: (words) => run(command(words), "/"),
    remove: async () => {
      // With it the first process of the machine ends, and so all others.
      first.kill("SIGKILL");
      await first.exited;
      await until("its processes to end", async () => !(await isThere(pid)));
      folder.remove();
    },
  };
}

const isThere = (pid: string) => Bun.file(`/proc/${pid}/stat`).exists();

async function furnish(path: (there: string) => string): Promise<void> {
  // Deployments have users of their own, who pass through.
  for (const name of [...OWN, ...FOLDERS].filter((name) => name !== "etc")) {
    mkdirSync(path(name), { recursive: true });
    chmodSync(path(name), 0o755);
  }
  const copied = await run(["cp", "-a", "/etc", path("etc")], "/");
  if (copied.code !== 0) throw new Error(copied.err);
  await run(["sh", "-c", "rm -rf nginx/sites-enabled/* nginx/conf.d/*"], path("etc"));
  writeFileSync(path("etc/hosts"), `127.0.0.1 localhost ${NAME}\n`);
  const systemctl = path("usr/local/bin/systemctl");
  copyFileSync(join(import.meta.dir, "systemctl.py"), systemctl);
  const program = readFileSync(systemctl, "utf8");
  writeFileSync(systemctl, `#!${Bun.which("python3")}\n${program}`);
  chmodSync(systemctl, 0o755);
}
