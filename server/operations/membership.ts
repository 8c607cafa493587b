import { hostname } from "node:os";
import { MEMBER_EVERY_MS, type Member, Members, pidsHere } from "@berth/store";
import type { Job } from "../clock/index.ts";
import { VERSION } from "../version.ts";
import type { OperationsDeps } from "./deps.ts";

type Deps = Pick<OperationsDeps, "db" | "clock" | "settings" | "agent">;

/** This process among those on its database: only where the database is on a server is that written down. */
export class Membership {
  readonly #members: Members;
  readonly #startedAt: number;

  constructor(private readonly deps: Deps) {
    this.#members = new Members(deps.db, deps.clock);
    this.#startedAt = deps.clock.now() - Math.round(process.uptime() * 1_000);
  }

  get jobs(): Job[] {
    if (!this.#isShared) return [];
    return [{ name: "members.here", everyMs: MEMBER_EVERY_MS, once: () => this.#members.here(this.#own) }];
  }

  /** Says at once that it is there. */
  async begin(): Promise<void> {
    if (this.#isShared) await this.#members.here(this.#own);
  }

  async end(): Promise<void> {
    if (this.#isShared) await this.#members.gone(this.#own.id);
  }

  /** All that are there; this one as it is right now. */
  async list() {
    const own = { ...this.#own, seen_at: this.deps.clock.now() };
    const others = this.#isShared ? await this.#members.list() : [];
    const all = [...others.filter(({ id }) => id !== own.id), own];
    return all.sort((a, b) => Number(a.started_at) - Number(b.started_at));
  }

  get #isShared(): boolean {
    return this.deps.settings.databaseFile === null;
  }

  get #own(): Member {
    const { agent, settings } = this.deps;
    return {
      id: agent.owner,
      place: pidsHere(this.deps.db),
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      roles: settings.roles.join(" "),
      running: agent.queue.running,
      started_at: this.#startedAt,
    };
  }
}
