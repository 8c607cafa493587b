import { type Instance, type Instances, type RevisionLogs, type Revisions, Serial } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import { maskOfRevision } from "../../secret-mask.ts";
import { readLine } from "../log-line.ts";
import type { Engines } from "./engines.ts";
import { type KeptLine, LogPosition, readKeptLine } from "./log-position.ts";
import { printed } from "./printed.ts";

export type ContainerLogsDeps = {
  instances: Pick<Instances, "live" | "get">;
  logs: Pick<RevisionLogs, "append">;
  revisions: Pick<Revisions, "secretsOf">;
  engines: Engines;
  logger: Logger;
};

/** Lines that are written together. */
const BATCH = 2_000;
/** Beyond what an engine keeps of a container, by the limit that we give it. */
const MOST_LOOKS = 4;

type Batch = { lines: KeptLine[]; offset: number };

/**
 * Moves what containers print from the engine's log into the one that people read. Lines and the position up to which
 * the engine's log is read are written together: a crash neither repeats a line nor drops one.
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

  #maskOf({ revision_id }: Instance): Promise<(text: string) => string> {
    return maskOfRevision(this.#deps.revisions, revision_id);
  }
}
