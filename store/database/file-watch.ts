import { type FSWatcher, watch } from "node:fs";
import type { Changed } from "./postgres/index.ts";

/** Writes of so many milliseconds are looked at once. */
const TOGETHER_MS = 10;

/**
 * Notifies of commits that other processes make to a database file, by the kernel's notice that its log was written
 * (inotify). The log is also written by this process, which the version tells apart.
 */
export class FileWatch {
  readonly #subscribers = new Set<(changed: Changed) => void>();
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #version: number;

  /** @param version changes when another process has committed */
  constructor(
    path: string,
    private readonly version: () => number,
  ) {
    this.#version = version();
    // Elsewhere such notices come late, or not for a file that stays open.
    if (process.platform !== "linux") return;
    try {
      this.#watcher = watch(`${path}-wal`, { persistent: false }, () => this.#written());
      this.#watcher.on("error", () => this.close());
    } catch {
      // The user has no more watches (fs.inotify.max_user_instances): the caller polls.
    }
  }

  /** Whether it notifies; otherwise the version has to be polled. */
  get isOpen(): boolean {
    return this.#watcher !== undefined;
  }

  subscribe(subscriber: (changed: Changed) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #written(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.isOpen) this.#look();
    }, TOGETHER_MS);
  }

  #look(): void {
    let version: number;
    try {
      version = this.version();
    } catch {
      // Another program holds the file for itself: its release is a write, which is looked at.
      return;
    }
    if (version === this.#version) return;
    this.#version = version;
    for (const subscriber of this.#subscribers) subscriber("anything");
  }
}
