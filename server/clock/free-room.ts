import type { FreePages } from "@berth/store";
import type { Job } from "./loop.ts";

const LOOK_MS = 2_000;
/** How long one turn goes on: a stop waits for it. */
const TURN_MS = 1_000;
/** After each slice, so many times what it took belong to others. */
const REST_FACTOR = 3;
const SHORTEST_REST_MS = 5;
/** Fewer are kept: what is written next needs them. */
const LEAST_PAGES = 1_000;
const LEAST_SHARE = 0.05;

type FreeRoomDeps = {
  freePages(): Promise<FreePages>;
  /** Cuts a few free pages off. */
  giveBackSlice(): Promise<void>;
  /** Has the file end where its pages end; says whether it does. */
  checkpoint(): boolean;
};

/** Gives the disk back what was deleted from a database file, in slices between which everybody else writes. */
export class FreeRoom {
  #isCheckpointDue = false;
  #isMuch = true;

  constructor(private readonly deps: FreeRoomDeps) {}

  readonly job: Job = {
    name: "database.free_room",
    everyMs: LOOK_MS,
    once: () => this.once(),
    byLeader: true,
    rests: () => !this.#isMuch && !this.#isCheckpointDue,
  };

  async once(): Promise<void> {
    const until = performance.now() + TURN_MS;
    let isMuch = hasMuch(await this.deps.freePages());
    while (isMuch && performance.now() < until) {
      const begun = performance.now();
      await this.deps.giveBackSlice();
      this.#isCheckpointDue = true;
      await Bun.sleep(Math.max(SHORTEST_REST_MS, REST_FACTOR * (performance.now() - begun)));
      isMuch = hasMuch(await this.deps.freePages());
    }
    // Once, at the end: until then, what is written moves the log into the file.
    this.#isMuch = isMuch;
    if (!isMuch && this.#isCheckpointDue) this.#isCheckpointDue = !this.deps.checkpoint();
  }
}

const hasMuch = ({ free, pages, givesBack }: FreePages): boolean =>
  givesBack && free > LEAST_PAGES && free > pages * LEAST_SHARE;
