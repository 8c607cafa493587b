import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type DiskQuota, monotonicClock } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { Job } from "../clock/index.ts";
import { surroundings } from "../machine/index.ts";
import type { Settings, Texts } from "../settings/index.ts";

type DiskUseDeps = {
  quota: Pick<DiskQuota, "maxBytes" | "setFolderBytes" | "retain" | "workspacesOf">;
  dataDir: Settings["dataDir"];
  environment: Texts;
  logger: Logger;
  /** Measures durations: monotonic. */
  clock?: Clock;
  /** Time limit for the folders of one workspace. */
  limitMs?: number;
};

const LOOK_MS = 5_000;
/** Time between two measurements of a workspace. */
const INTERVAL_MS = 300_000;
/** A build or a refusal shortens that to this. */
const MIN_INTERVAL_MS = 30_000;
/** Measuring a workspace uses at most one part of this number of the time. */
const REST_FACTOR = 20;
const LIMIT_MS = 300_000;

type Measurement = { endedAt: number; tookMs: number };

/** Measures in the background what the deployments of each workspace use in the data folder of this process. */
export class DiskUse {
  readonly #clock: Clock;
  readonly #last = new Map<string, Measurement>();
  /** Workspaces to measure before their interval is over. */
  readonly #changed = new Set<string>();
  readonly #stopping = new AbortController();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: DiskUseDeps) {
    this.#clock = deps.clock ?? monotonicClock;
  }

  get jobs(): Job[] {
    if (this.deps.quota.maxBytes === null) return [];
    return [{ name: "control.disk", everyMs: LOOK_MS, once: () => this.measure() }];
  }

  /** Asks for a measurement of a workspace before its interval is over. */
  changed(workspaceId: string): void {
    this.#changed.add(workspaceId);
  }

  /** Ends the measurement that is in progress; no other begins. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Measures every workspace whose measurement is due, one after the other. */
  async measure(): Promise<void> {
    const now = this.#clock.now();
    if (this.#changed.size === 0 && now - this.#lookedAt < MIN_INTERVAL_MS) return;
    this.#lookedAt = now;
    const folders = await this.#folders();
    const { quota, logger } = this.deps;
    quota.retain(new Set(folders.keys()));
    for (const id of this.#last.keys()) if (!folders.has(id)) this.#last.delete(id);
    for (const id of this.#changed) if (!folders.has(id)) this.#changed.delete(id);
    for (const [workspaceId, paths] of folders) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#isDue(workspaceId)) continue;
      this.#changed.delete(workspaceId);
      const startedAt = this.#clock.now();
      const measured = await this.#du(paths);
      const endedAt = this.#clock.now();
      this.#last.set(workspaceId, { endedAt, tookMs: endedAt - startedAt });
      if (this.#stopping.signal.aborted) return;
      if (typeof measured === "number") quota.setFolderBytes(workspaceId, measured);
      else logger.warn("disk.not_measured", { workspace: workspaceId, reason: measured.reason });
      // Otherwise many small files would be a way around the quota.
      if (typeof measured === "object" && measured.isLate) quota.setFolderBytes(workspaceId, null);
    }
  }

  #isDue(workspaceId: string): boolean {
    const last = this.#last.get(workspaceId);
    if (last === undefined) return true;
    const intervalMs = this.#changed.has(workspaceId) ? MIN_INTERVAL_MS : INTERVAL_MS;
    return this.#clock.now() - last.endedAt >= Math.max(intervalMs, last.tookMs * REST_FACTOR);
  }

  /** Returns the folders of each workspace, as paths below the data folder. */
  async #folders(): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const [kind, root] of [
      ["deployments", "deployments"],
      ["revisions", "builds"],
    ] as const) {
      const ids = await readdir(join(this.deps.dataDir, root)).catch(() => []);
      for (const [id, workspaceId] of await this.deps.quota.workspacesOf(kind, ids)) {
        const paths = found.get(workspaceId) ?? [];
        paths.push(`${root}/${id}`);
        found.set(workspaceId, paths);
      }
    }
    return found;
  }

  #du(paths: readonly string[]): Promise<number | Unmeasured> {
    const { dataDir, environment, limitMs = LIMIT_MS } = this.deps;
    return allocatedBytes(paths, {
      folder: dataDir,
      environment,
      limitMs,
      signal: this.#stopping.signal,
    });
  }
}

/** Why there is no size; `isLate`: the time limit was over. */
type Unmeasured = { reason: string; isLate: boolean };

type AllocatedOptions = { folder: string; environment: Texts; limitMs: number; signal: AbortSignal };

/**
 * Returns what folders use on the disk, by allocated blocks. A program measures it, because a walk through so many
 * files would occupy the event loop. One call of `du` counts a file with several links once, in all its folders
 * (BusyBox: in each). A file or folder that disappears during the measurement counts as nothing.
 */
export async function allocatedBytes(
  paths: readonly string[],
  { folder, environment, limitMs, signal }: AllocatedOptions,
): Promise<number | Unmeasured> {
  try {
    const limit = AbortSignal.timeout(limitMs);
    const child = Bun.spawn(["nice", "-n", "19", "du", "-sk", ...paths], {
      cwd: folder,
      env: { ...surroundings(environment), LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
      signal: AbortSignal.any([limit, signal]),
      killSignal: "SIGKILL",
    });
    const output = await new Response(child.stdout).text();
    const code = await child.exited;
    if (child.signalCode !== null) {
      const reason = limit.aborted
        ? `du did not end within ${limitMs} ms`
        : `du ended by ${child.signalCode}`;
      return { reason, isLate: limit.aborted };
    }
    // 1: it could not read everything. 126 and 127 are of `nice`: there is no `du`.
    if (code > 1) return { reason: `du ended with exit code ${code}`, isLate: false };
    const sizes = output.matchAll(/^(\d+)\t/gm);
    return [...sizes].reduce((sum, [, kib]) => sum + Number(kib) * 1_024, 0);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), isLate: false };
  }
}
