import { type FSWatcher, readdirSync, watch } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

const CODE = /\.(?:[mc]?[jt]sx?|json|css|py|toml)$|^\.env$|^\.dev\.vars$/;
const FOREIGN = new Set(["node_modules", "dist", "build", "coverage", "__pycache__", "venv"]);
/** An editor writes a file in several steps, and a checkout many files. */
const QUIET_MS = 120;
const MOST_FOLDERS = 5_000;

export type Watched = {
  /** With all that is in them, but for what is not the project's. */
  folders: readonly string[];
  except: readonly string[];
  /** Alone, wherever they are and whatever they are called. */
  files?: readonly string[];
};

/**
 * Tells when code in folders changes. Folder by folder and not recursively: that would follow all of
 * `node_modules`, too.
 */
export class CodeWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  /** By file. An editor puts another in its place: it is its folder that tells. */
  readonly #files = new Map<string, FSWatcher>();
  readonly #onChange: () => void;
  #except: string[] = [];
  #quiet: Timer | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these beside those that it watches already. */
  add({ folders, except, files = [] }: Watched): void {
    this.#except = [...new Set([...this.#except, ...except.map((path) => resolve(path))])];
    for (const folder of folders) this.#enter(resolve(folder));
    for (const file of files) this.#follow(resolve(file));
  }

  close(): void {
    clearTimeout(this.#quiet);
    for (const watchers of [this.#watchers, this.#files]) {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    }
  }

  #follow(file: string): void {
    if (this.#files.has(file)) return;
    try {
      const watcher = watch(dirname(file), (_event, name) => {
        if (name === basename(file)) this.#soon();
      });
      watcher.on("error", () => {
        watcher.close();
        this.#files.delete(file);
      });
      this.#files.set(file, watcher);
    } catch {
      // Its folder went away in between.
    }
  }

  #enter(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MOST_FOLDERS || this.#isLeftOut(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => this.#changed(folder, name));
      watcher.on("error", () => this.#leave(folder));
      this.#watchers.set(folder, watcher);
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && isOurs(entry.name)) this.#enter(join(folder, entry.name));
    } catch {
      // It went away in between.
      this.#leave(folder);
    }
  }

  #leave(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #changed(folder: string, name: string | null): void {
    if (name === null || CODE.test(name)) this.#soon();
    else if (!name.includes(".") && isOurs(name)) this.#enter(join(folder, name));
  }

  #soon(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(this.#onChange, QUIET_MS);
  }

  #isLeftOut(folder: string): boolean {
    return this.#except.some((path) => !relative(path, folder).startsWith(".."));
  }
}

const isOurs = (name: string) => !name.startsWith(".") && !FOREIGN.has(name);
