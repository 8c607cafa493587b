import type { Instance, Instances, RevisionLogs, Revisions } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import { readLine } from "../log-line.ts";
import { maskOf } from "../secret-mask.ts";
import type { Engine } from "./engine.ts";
import type { Engines } from "./engines.ts";
import { type KeptLine, LogPosition, readKeptLine } from "./log-position.ts";

export type ContainerLogsDeps = {
  instances: Pick<Instances, "live" | "get">;
  logs: Pick<RevisionLogs, "append">;
  revisions: Pick<Revisions, "secretsOf">;
  engines: Engines;
  logger: Logger;
};

/** As much as one look takes over; what is left is for the next one. */
const LOOK_BYTES = 16_777_216;
/** Lines that are written together. */
const BATCH = 2_000;
/** Beyond what an engine keeps of a container, by the limit that we give it. */
const MOST_LOOKS = 4;
const LINE_CHARS = 65_536;
const LIMIT_MS = 60_000;

type Batch = { lines: KeptLine[]; offset: number };

/**
 * Moves what containers print from the engine's log into the one that people read. Lines and the position up to which
 * the engine's log is read are written together: a crash neither repeats a line nor drops one.
 */
export class ContainerLogs {
  readonly #deps: ContainerLogsDeps;
  /** When each was looked at last, for whoever waited longest is next. */
  readonly #lookedAt = new Map<string, number>();
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(deps: ContainerLogsDeps) {
    this.#deps = deps;
  }

  /**
   * One turn of the timer loop: one container's lines. Asking an engine costs a process each time, so many containers
   * wait for each other rather than keep a machine busy.
   */
  async once(): Promise<void> {
    const live = (await this.#deps.instances.live()).filter(({ container }) => container !== null);
    const ids = new Set(live.map(({ id }) => id));
    for (const id of this.#lookedAt.keys()) if (!ids.has(id)) this.#lookedAt.delete(id);
    const times = live.map((instance) => ({ instance, at: this.#lookedAt.get(instance.id) ?? 0 }));
    const [next] = times.sort((one, other) => one.at - other.at);
    if (!next) return;
    this.#lookedAt.set(next.instance.id, performance.now());
    await this.#look(next.instance.id);
  }

  /** Everything that an instance has said by now. */
  async drain({ id }: Pick<Instance, "id">): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS && (await this.#look(id)); looks += 1);
  }

  /** Reads once; true where there may be more. An engine that does not answer is asked again. */
  async #look(id: string): Promise<boolean> {
    const look = (this.#reading.get(id) ?? Promise.resolve()).then(() => this.#read(id));
    const ended = look.catch(() => undefined);
    this.#reading.set(id, ended);
    try {
      return await look;
    } catch (error) {
      this.#deps.logger.warn("container.log_unread", { instance: id, error });
      return false;
    } finally {
      if (this.#reading.get(id) === ended) this.#reading.delete(id);
    }
  }

  async #read(id: string): Promise<boolean> {
    // The row as it is now: whoever read last has moved its position on.
    const instance = await this.#deps.instances.get(id);
    const place = instance && this.#deps.engines.placeOf(instance);
    if (!instance || !place?.engine.isInstalled) return false;
    const position = new LogPosition(instance.log_offset, instance.created_at);
    const output = printed(place.engine, ["logs", "--timestamps", "--since", position.since, place.id]);
    let batch: KeptLine[] = [];
    let isCut = false;
    let mask: ((text: string) => string) | undefined;
    const write = async () => {
      if (batch.length === 0) return;
      mask ??= await this.#maskOf(instance);
      await this.#append(instance, { lines: batch, offset: position.offset }, mask);
      batch = [];
    };
    for await (const text of output) {
      if (text === null) {
        isCut = true;
        break;
      }
      const line = readKeptLine(text);
      if (position.isNew(line)) batch.push(line);
      if (batch.length >= BATCH) await write();
    }
    await write();
    return isCut;
  }

  async #append(
    { id, deployment_id, revision_id, created_at }: Instance,
    { lines, offset }: Batch,
    mask: (text: string) => string,
  ): Promise<void> {
    let last = created_at;
    const read = lines.map(({ at: keptAt, text }) => {
      last = keptAt ?? last;
      const { at, level, message } = readLine(text, last);
      return { deployment_id, revision_id, kind: "deploy" as const, at, level, message: mask(message) };
    });
    await this.#deps.logs.append(
      read.filter(({ message }) => message !== ""),
      { instance: id, offset },
    );
  }

  async #maskOf({ revision_id }: Instance): Promise<(text: string) => string> {
    const secrets = await this.#deps.revisions.secretsOf(revision_id);
    return maskOf(secrets.map(({ value }) => value));
  }
}

/** The lines of a command, both of its streams in their one order; null where there would have been too many. */
async function* printed(engine: Engine, args: string[]): AsyncGenerator<string | null> {
  // Two pipes would lose the order; a shell is what has one for both.
  const child = Bun.spawn(["/bin/sh", "-c", 'exec "$0" "$@" 2>&1', engine.name, ...args], {
    cwd: "/",
    env: { ...engine.environment },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  try {
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = (lines.pop() ?? "").slice(0, LINE_CHARS);
      for (const line of lines) yield plain(line);
      if (bytes > LOOK_BYTES) return yield null;
    }
    if (rest !== "") yield plain(rest);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

const plain = (line: string) => line.slice(0, LINE_CHARS).replace(/\r$/, "");
