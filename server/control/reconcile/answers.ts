import type { Instance } from "@berth/store";
import type { Parts } from "./parts.ts";

/** Each question costs both processes about a millisecond. */
const LONGEST_PAUSE_MS = 30_000;
/** Questions in the time allowed, at least: a single late answer says nothing, the machine may have slept. */
const QUESTIONS = 4;

type Asked = { at: number; unanswered: number; since: number };

/**
 * Notices what lives and answers nobody any more: an endless loop in the code of an agent, or a process that was
 * halted. A revision may be at work for long without a turn of its event loop, so the limit is generous.
 */
export class Answers {
  readonly #asked = new Map<string, Asked>();

  constructor(private readonly parts: Pick<Parts, "probe" | "timing" | "settings">) {}

  /** Forgets all but these instances. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#asked.keys()) if (!ids.has(id)) this.#asked.delete(id);
  }

  /** What is said of an instance next is said of a new process. */
  forget(id: string): void {
    this.#asked.delete(id);
  }

  /** Whether an instance has not answered for longer than it may; asks it now and then, without waiting. */
  isStuck(instance: Instance): boolean {
    const { timing, settings } = this.parts;
    if (settings.hangMs === 0) return false;
    const now = timing.elapsed();
    const pause = Math.min(settings.hangMs / QUESTIONS, LONGEST_PAUSE_MS);
    const asked = this.#asked.get(instance.id);
    if (asked === undefined) {
      // It has just been found to serve: the first question can wait.
      this.#asked.set(instance.id, { at: now, unanswered: 0, since: now });
      return false;
    }
    // Also when the clock was set back.
    if (Math.abs(now - asked.at) >= pause) {
      asked.at = now;
      void this.#ask(instance, asked, pause);
    }
    return asked.unanswered >= QUESTIONS - 1 && now - asked.since >= settings.hangMs;
  }

  async #ask(instance: Instance, asked: Asked, limitMs: number): Promise<void> {
    if (await this.parts.probe.answers(instance, limitMs)) {
      asked.unanswered = 0;
      return;
    }
    if (asked.unanswered === 0) asked.since = this.parts.timing.elapsed();
    asked.unanswered += 1;
  }
}
