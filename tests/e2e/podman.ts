import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { putExecutable } from "../smoke/executable.ts";

/** What containers run that are no Berth, each a file at the root. */
const PROGRAMS = join(import.meta.dir, "container-image");

/** Podman with images, containers and settings of the tests' own. */
export type Podman = {
  folder: string;
  /** What a Berth has to be told to use it. */
  env: Record<string, string>;
  /** The same with networks of the containers' own; undefined where Podman cannot publish ports. */
  publishing: Record<string, string> | undefined;
  /** @throws Error with what Podman said */
  run(...args: string[]): Promise<string>;
  /** Makes an image: of the server that only shows what it was given, of another program, or of Berth itself. */
  image(name: string, made: Made): Promise<void>;
  remove(): Promise<void>;
};

type Made = {
  env?: Record<string, string>;
  /** Arguments for Berth itself. */
  berth?: string[];
  /** The name of a file in `container-image`. */
  program?: string;
};

const BASE = "localhost/base:1";
/** What holds a pod's namespaces; it has to do nothing, for as long as the pod lives. */
export const PAUSE = "localhost/pause:1";

/**
 * Opens Podman with one image that holds the compiled Berth and the libraries it needs, and nothing else.
 * @returns why there is none, where it cannot run here
 */
export async function openPodman(): Promise<Podman | string> {
  if (process.platform !== "linux") return "containers are tested on Linux only";
  for (const name of ["podman", "runc"]) if (!Bun.which(name)) return `${name} is not installed`;
  const folder = mkdtempSync(join(tmpdir(), "berth-podman-"));
  const podman = new TestPodman(folder);
  try {
    await podman.importBase();
  } catch (error) {
    await podman.remove();
    throw error;
  }
  const problem = await podman.problem();
  if (problem === undefined) return podman;
  await podman.remove();
  return problem;
}

/** What Podman needs on machines where not all of the system's controls are there. */
const settings = (lines: string) => `[containers]
${lines}
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
infra_image = "${PAUSE}"
`;

class TestPodman implements Podman {
  readonly env: Record<string, string>;
  publishing: Record<string, string> | undefined;

  constructor(readonly folder: string) {
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const places = `graphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`;
    const storage = file("storage.conf", `[storage]\ndriver = "overlay"\n${places}`);
    const conf = file("containers.conf", settings('netns = "host"'));
    this.env = { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: conf };
    const publishing = file("publishing.conf", settings(""));
    this.publishing = { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: publishing };
  }

  run(...args: string[]): Promise<string> {
    return output(["podman", ...args], this.env);
  }

  async importBase(): Promise<void> {
    const root = join(this.folder, "root");
    for (const name of ["tmp", "bin"]) mkdirSync(join(root, name), { recursive: true });
    const berth = join(root, "bin", "berth");
    await putExecutable(berth);
    cpSync(PROGRAMS, root, { recursive: true });
    for (const [library] of (await output(["ldd", berth])).matchAll(/\/\S+(?= \()/g)) {
      if (library === berth) continue;
      mkdirSync(join(root, dirname(library)), { recursive: true });
      cpSync(library, join(root, library), { dereference: true });
    }
    const importing = `tar -C '${root}' -c . | podman import --quiet - ${BASE}`;
    await output(["sh", "-c", importing], this.env);
    rmSync(root, { recursive: true });
  }

  /** Why no container runs here, if so; finds out about networks as well. */
  async problem(): Promise<string | undefined> {
    await this.image("localhost/probe:1", {});
    try {
      await this.run(
        "rm",
        "--force",
        await this.run("run", "--detach", "--env", "PORT=0", "localhost/probe:1"),
      );
    } catch (error) {
      return `Podman runs no container here: ${error instanceof Error ? error.message : error}`;
    }
    const publish = ["--network", "bridge", "--publish", "127.0.0.1::8000"];
    try {
      const command = ["podman", "run", "--detach", ...publish, "--env", "PORT=8000", "localhost/probe:1"];
      await this.run("rm", "--force", await output(command, this.publishing));
    } catch {
      this.publishing = undefined;
    }
    return undefined;
  }

  async image(name: string, { env = {}, berth, program = "server.ts" }: Made) {
    const command = ["/bin/berth", ...(berth ?? [`/${program}`])];
    const all = { ...(berth === undefined && { BUN_BE_BUN: "1" }), ...env };
    const lines = Object.entries(all).map(([key, value]) => `ENV ${key}=${JSON.stringify(value)}`);
    const file = join(this.folder, "Containerfile");
    writeFileSync(file, [`FROM ${BASE}`, ...lines, `ENTRYPOINT ${JSON.stringify(command)}`, ""].join("\n"));
    await this.run("build", "--quiet", "--tag", name, "--file", file, this.folder);
  }

  async remove(): Promise<void> {
    await this.run("rm", "--all", "--force", "--time", "0").catch(() => "");
    await this.run("umount", "--all").catch(() => "");
    // What it mounted for its images, folder by folder.
    for (const path of ["images/overlay", "run/overlay"])
      await output(["umount", join(this.folder, path)]).catch(() => "");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function output(command: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: WAIT_LIMIT_MS,
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(" ")}: ${err.trim() || `exit code ${code}`}`);
  return out.trim();
}
