import { expect } from "bun:test";
import { until } from "../condition.ts";
import { ask } from "../crash-http.ts";
import { SELDOM } from "../cron-ticks.ts";
import type { Cluster } from "./cluster.ts";

/** Now, as the database says. */
const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Crons that fire when they are made due, and how many ticks each of them got. */
export class ClusterTicks {
  readonly given = new Map<string, number>();

  constructor(private readonly cluster: Cluster) {}

  /** So many on a thread, and as many that need none. */
  async create(count: number, file: string): Promise<void> {
    const { url } = this.cluster;
    const input = { file, label: "tick", pause: 20 };
    const body = { assistant_id: "marked", schedule: SELDOM, input };
    for (let at = 0; at < count; at += 1) {
      const { thread_id } = await ask<{ thread_id: string }>(url, "POST", "/threads", {});
      for (const [path, more] of [
        [`/threads/${thread_id}/runs/crons`, {}],
        ["/runs/crons", { on_run_completed: "keep" }],
      ] as const) {
        const { cron_id } = await ask<{ cron_id: string }>(url, "POST", path, { ...body, ...more });
        this.given.set(cron_id, 0);
      }
    }
  }

  /** A new tick for every cron that has none waiting. */
  async give(): Promise<void> {
    const due = await this.cluster.query(
      `update crons set next_run_at = ${NOW} where next_run_at > ${NOW} returning cron_id`,
    );
    for (const { cron_id } of due)
      this.given.set(String(cron_id), (this.given.get(String(cron_id)) ?? 0) + 1);
  }

  get total(): number {
    return [...this.given.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Every tick made one run, no more and no less, and every run came to its end. */
  async check(): Promise<void> {
    await until(
      "every tick to be taken",
      () => this.cluster.query(`select cron_id from crons where next_run_at <= ${NOW}`),
      (left) => left.length === 0,
    );
    const runs = await until(
      "every run of a cron to end",
      () =>
        this.cluster.query(
          "select metadata::jsonb ->> 'cron_id' as cron, status from runs where metadata::jsonb ? 'cron_id'",
        ),
      (found) => found.every(({ status }) => status !== "pending" && status !== "running"),
    );
    const byCron = Map.groupBy(runs, ({ cron }) => String(cron));
    for (const [id, ticks] of this.given) {
      const statuses = (byCron.get(id) ?? []).map(({ status }) => status);
      expect([id, statuses]).toEqual([id, Array(ticks).fill("success")]);
    }
  }
}
