import type { Texts } from "../settings/index.ts";
import { networkSettings, surroundings } from "./surroundings.ts";

export type EngineName = "docker" | "podman";

/** An engine by what its command really is: Podman and nerdctl may answer to the name of `docker`. */
export type EngineProduct = EngineName | "nerdctl";

/** The engine was asked for something and did not do it; the message is what it said, in one line. */
export class EngineFailed extends Error {
  override name = "EngineFailed";
}

export type RunOptions = {
  limitMs?: number;
  /** Beside what the engine's command is always told. */
  env?: Readonly<Record<string, string>>;
};

/** What the command reads of its user's: where the engine is, its files, the logins of registries. */
const OWN =
  /^(?:DOCKER_|CONTAINERS?_|PODMAN_|STORAGE_|XDG_)|^(?:HOME|TMPDIR|REGISTRY_AUTH_FILE|SSH_AUTH_SOCK)$/;
/** Berth's own settings of such a name. */
const BERTHS = new Set(["CONTAINER_ENGINE", "CONTAINER_NETWORK"]);

const LIMIT_MS = 60_000;
/** What a command's own children may still print after it has ended. */
const LAST_WORDS_MS = 1_000;
const LAST_LINES = 5;
/** Maximum number of bytes that a command may print to one stream: what an image says of itself is part of it. */
const MAX_PRINTED_BYTES = 16_777_216;
const MOST_CHARS = 1_000;

/** A container engine on this machine, through its command. */
export class ContainerEngine {
  /** Nothing else of Berth's environment is for it to see: what it starts might inherit it. */
  readonly environment: Readonly<Record<string, string>>;
  #product: Promise<EngineProduct> | undefined;

  constructor(
    readonly name: EngineName,
    environment: Texts,
  ) {
    const own = Object.entries(environment).filter(([name]) => OWN.test(name) && !BERTHS.has(name));
    this.environment = {
      ...surroundings(environment),
      ...networkSettings(environment),
      ...Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    };
  }

  /** Whether its command is there at all. */
  get isInstalled(): boolean {
    return Bun.which(this.name, { PATH: this.environment.PATH ?? "" }) !== null;
  }

  /** Podman takes some options that Docker does not know. */
  async isPodman(): Promise<boolean> {
    return (await this.product()) === "podman";
  }

  /**
   * What the command really is.
   * @throws EngineFailed
   */
  product(): Promise<EngineProduct> {
    this.#product ??= this.run(["--version"]).then(productOf);
    this.#product.catch(() => {
      this.#product = undefined;
    });
    return this.#product;
  }

  /**
   * Runs the command to its end and gives what it printed.
   * @throws EngineFailed
   */
  async run(args: readonly string[], { limitMs = LIMIT_MS, env = {} }: RunOptions = {}): Promise<string> {
    if (!this.isInstalled) throw new EngineFailed(`${this.name} is not installed`);
    const child = Bun.spawn([this.name, ...args], {
      cwd: "/",
      env: { ...this.environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, limitMs);
    let isLong = false;
    const tooLong = () => {
      isLong = true;
      child.kill("SIGKILL");
    };
    const printed = Promise.all([printedText(child.stdout, tooLong), printedText(child.stderr, tooLong)]);
    const code = await child.exited;
    clearTimeout(limit);
    const [out, err] = await Promise.race([printed, Bun.sleep(LAST_WORDS_MS).then(() => ["", ""] as const)]);
    const what = `${this.name} ${args[0]}`;
    if (isLong) throw new EngineFailed(`${what} printed more than ${MAX_PRINTED_BYTES} bytes`);
    if (isLate) throw new EngineFailed(`${what} did not end within ${limitMs / 1_000} seconds`);
    if (code !== 0) throw new EngineFailed(said(err.split("\n")) || `${what} failed with exit code ${code}`);
    return out.trim();
  }
}

/** Reads what a command prints; calls `tooLong` and stops at the limit. */
async function printedText(stream: ReadableStream<Uint8Array>, tooLong: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_PRINTED_BYTES) {
      tooLong();
      return "";
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString("utf8");
}

function productOf(version: string): EngineProduct {
  const named = /podman|nerdctl/i.exec(version)?.[0].toLowerCase();
  return named === "podman" || named === "nerdctl" ? named : "docker";
}

/** What to do where an engine does not answer. */
export const WAKE_ENGINE: Record<EngineProduct, string> = {
  docker: "start Docker's daemon (systemctl start docker), and let Berth's user reach it",
  podman: 'Podman has no daemon: run "podman info" as Berth\'s user, which says what is missing',
  nerdctl: "start containerd (systemctl start containerd), and let Berth's user reach it",
};

/** What a build for another platform takes. */
export const CROSS_BUILD: Record<EngineProduct, string> = {
  docker: "docker buildx with QEMU",
  podman: "podman with qemu-user-static",
  nerdctl: "nerdctl with BuildKit and QEMU",
};

/** What is wrong by the engine's own last words, without what it noted on its way there. */
export function said(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith('time="'))
    .slice(-LAST_LINES)
    .join(" | ")
    .slice(0, MOST_CHARS);
}

/** Whether the engine says that there is no such thing, rather than that something went wrong. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof EngineFailed &&
  /no such (?:container|image|object)|image not known|no container with/i.test(error.message);

/** The engines that may be there, in the order in which they are tried. */
export const ENGINE_NAMES: readonly EngineName[] = ["docker", "podman"];

/**
 * The first engine that is installed and answers.
 * @returns without one, why each that is installed does not: its name and its words
 */
export async function firstThatAnswers(
  engines: readonly ContainerEngine[],
): Promise<{ engine?: ContainerEngine; reasons: string[] }> {
  const reasons: string[] = [];
  for (const engine of engines) {
    if (!engine.isInstalled) continue;
    try {
      await engine.run(["info"]);
      return { engine, reasons };
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error;
      reasons.push(`${engine.name} does not answer (${error.message})`);
    }
  }
  return { reasons };
}
