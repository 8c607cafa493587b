import { type Database, readRunEvents, type StoredEvent } from "@berth/store";

/**
 * Reads events of runs from the log, once for all who ask for the same in one turn of the event loop: many readers of
 * one run then hold the same events in memory.
 */
export class SharedReads {
  readonly #underWay = new Map<string, Promise<StoredEvent[]>>();

  constructor(private readonly db: Database) {}

  /** The events of a run behind `after`, oldest first, from at most so many segments. */
  read(runId: string, after: number, segments: number): Promise<StoredEvent[]> {
    const key = `${runId} ${after} ${segments}`;
    const known = this.#underWay.get(key);
    if (known) return known;
    const reading = readRunEvents(this.db, runId, after, segments);
    this.#underWay.set(key, reading);
    setImmediate(() => this.#underWay.delete(key));
    return reading;
  }
}
