import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Instance,
  type Instances,
  LOG_LINES_PER_WRITE,
  type RevisionLogs,
  type Revisions,
  Serial,
  Turns,
} from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { ContainerEngine } from "../../../machine/index.ts";
import { maskOfRevision } from "../../secret-mask.ts";
import { droppedLines, MAX_UNREAD_LINES, readLine } from "../log-tail.ts";
import type { Engines } from "./engines.ts";

/** As much as is read at once; whoever wants the rest asks again. */
const MOST_BYTES = 16_777_216;
const LINE_CHARS = 65_536;
const LIMIT_MS = 60_000;

/** The lines of a command, both of its streams in their one order; null where there would have been too many. */
async function* printed(engine: ContainerEngine, args: string[]): AsyncGenerator<string | null> {
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
      if (bytes > MOST_BYTES) return yield null;
    }
    if (rest !== "") yield plain(rest);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

const plain = (line: string) => line.slice(0, LINE_CHARS).replace(/\r$/, "");

/** The last lines that a container printed, as far as they can be had. */
export async function lastWords(engine: ContainerEngine, container: string, count: number): Promise<string> {
  const lines: string[] = [];
  for await (const line of printed(engine, ["logs", "--tail", String(count), container]))
    if (line !== null) lines.push(line);
  return lines.slice(-count).join("\n");
}

/** A line as the engine keeps it; the time is null for what goes on with the line before. */
type KeptLine = { at: number | null; text: string };

const PER_MS = 10_000;
const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))(?: |$)(.*)$/s;

/** Reads a line of `logs --timestamps`. */
export function readKeptLine(line: string): KeptLine {
  const [, time = "", text = ""] = LINE.exec(line) ?? [];
  // Engines count nanoseconds, dates here milliseconds.
  const at = Date.parse(time.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(at) ? { at: null, text: line } : { at, text };
}

/**
 * How far a container's log was read, as one number for the instance's row: the millisecond of the last line, counted
 * from when the instance was made, and how many lines of that millisecond were taken. An engine gives the lines since
 * a time, so those of the same time come again.
 */
export class LogPosition {
  readonly #from: number;
  #ms: number;
  #taken: number;
  /** Lines that come again, of the millisecond at which the reading goes on. */
  #again: number;
  readonly #resumedAt: number;
  #isTaking = false;

  constructor(offset: number, from: number) {
    this.#from = from;
    this.#ms = Math.floor(offset / PER_MS);
    this.#taken = offset % PER_MS;
    this.#again = this.#taken;
    this.#resumedAt = this.#ms;
  }

  /** From when on lines are to be asked for. */
  get since(): string {
    return new Date(this.#from + this.#ms).toISOString();
  }

  get offset(): number {
    return this.#ms * PER_MS + Math.min(this.#taken, PER_MS - 1);
  }

  /** Whether this line is a new one; lines have to come in the log's order. */
  isNew({ at }: KeptLine): boolean {
    if (at === null) return this.#isTaking;
    const ms = Math.max(at - this.#from, 0);
    this.#isTaking = ms > this.#resumedAt || (ms === this.#resumedAt && this.#again-- <= 0);
    if (this.#isTaking) this.#move(ms);
    return this.#isTaking;
  }

  #move(ms: number): void {
    // Two streams of one container may be a moment out of order.
    if (ms < this.#ms) return;
    this.#taken = ms === this.#ms ? this.#taken + 1 : 1;
    this.#ms = ms;
  }
}

/** Where what instances print is read. */
export type LogSource = {
  isReadable(instance: Instance): boolean;
  /** Lines since a time, each behind its own, in the order of those; null where there would have been too many. */
  printed(instance: Instance, since: string): AsyncGenerator<string | null>;
};

/** The logs that the engines of this machine keep. */
export class EngineLogs implements LogSource {
  constructor(private readonly engines: Engines) {}

  isReadable(instance: Instance): boolean {
    return this.engines.placeOf(instance)?.engine.isInstalled === true;
  }

  async *printed(instance: Instance, since: string): AsyncGenerator<string | null> {
    const place = this.engines.placeOf(instance);
    if (place) yield* printed(place.engine, ["logs", "--timestamps", "--since", since, place.id]);
  }
}

export type ContainerLogsDeps = {
  instances: Pick<Instances, "live" | "get">;
  logs: Pick<RevisionLogs, "append">;
  revisions: Pick<Revisions, "secretsOf">;
  /** Where the output of an instance is, by what runs it; undefined where it is none of these. */
  sourceOf(instance: Instance): LogSource | undefined;
  logger: Logger;
};

/** Beyond what an engine keeps of a container, by the limit that we give it. */
const MOST_LOOKS = 4;

/** A line with the position behind it. */
type PositionedLine = KeptLine & { offset: number };

/**
 * Moves what containers and pods print from the engine's or the cluster's log into the one that people read. Lines and the position up to which
 * that log is read are written together: a crash neither repeats a line nor drops one.
 */
export class ContainerLogs {
  readonly #deps: ContainerLogsDeps;
  /** When each was looked at last, for whoever waited longest is next. */
  readonly #lookedAt = new Map<string, number>();
  readonly #reading = new Serial();

  constructor(deps: ContainerLogsDeps) {
    this.#deps = deps;
  }

  /**
   * One turn of the timer loop: one container's lines. Asking an engine costs a process each time, so many containers
   * wait for each other rather than keep a machine busy.
   */
  async once(): Promise<void> {
    const { instances, sourceOf } = this.#deps;
    const live = (await instances.live()).filter((one) => one.container !== null && sourceOf(one));
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
    try {
      return await this.#reading.run(id, () => this.#read(id));
    } catch (error) {
      this.#deps.logger.warn("container.log_unread", { instance: id, error });
      return false;
    }
  }

  async #read(id: string): Promise<boolean> {
    // The row as it is now: whoever read last has moved its position on.
    const instance = await this.#deps.instances.get(id);
    const source = instance && this.#deps.sourceOf(instance);
    if (!instance || !source?.isReadable(instance)) return false;
    const position = new LogPosition(instance.log_offset, instance.created_at);
    const { lines, dropped, isCut } = await newestLines(source.printed(instance, position.since), position);
    const [first] = lines;
    if (first === undefined) return isCut;
    const mask = await this.#maskOf(instance);
    if (dropped > 0) await this.#recordDropped(instance, dropped, first.at);
    for (let from = 0; from < lines.length; from += LOG_LINES_PER_WRITE) {
      await this.#append(instance, lines.slice(from, from + LOG_LINES_PER_WRITE), mask);
      await nextTurn();
    }
    return isCut;
  }

  /** @param keptAt when the first line was printed that was not dropped */
  async #recordDropped(instance: Instance, count: number, keptAt: number | null): Promise<void> {
    const { id, deployment_id, revision_id, log_offset: offset, created_at } = instance;
    const line = { deployment_id, revision_id, kind: "deploy" as const, at: keptAt ?? created_at };
    const written = { ...line, level: "WARNING" as const, message: droppedLines(count) };
    await this.#deps.logs.append([written], { instance: id, offset });
  }

  async #append(
    { id, deployment_id, revision_id, created_at }: Instance,
    lines: PositionedLine[],
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
      { instance: id, offset: lines.at(-1)?.offset ?? 0 },
    );
  }

  #maskOf({ revision_id }: Instance): Promise<(text: string) => string> {
    return maskOfRevision(this.#deps.revisions, revision_id);
  }
}

type NewestLines = { lines: PositionedLine[]; dropped: number; isCut: boolean };

/** New lines of an output: those that trimming would leave, and how many came before them. */
async function newestLines(
  output: AsyncGenerator<string | null>,
  position: LogPosition,
): Promise<NewestLines> {
  const turns = new Turns();
  let lines: PositionedLine[] = [];
  let dropped = 0;
  let isCut = false;
  for await (const text of output) {
    await turns.rest();
    if (text === null) {
      isCut = true;
      break;
    }
    const { at, text: printed } = readKeptLine(text);
    if (position.isNew({ at, text: printed })) lines.push({ at, text: printed, offset: position.offset });
    if (lines.length < 2 * MAX_UNREAD_LINES) continue;
    lines = lines.slice(-MAX_UNREAD_LINES);
    dropped += MAX_UNREAD_LINES;
  }
  const more = Math.max(0, lines.length - MAX_UNREAD_LINES);
  return { lines: lines.slice(more), dropped: dropped + more, isCut };
}
