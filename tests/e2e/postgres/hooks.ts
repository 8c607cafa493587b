import { expect } from "bun:test";
import { isSigned } from "../../../server/delivery/signature.ts";
import { type Received, type Receiver, startReceiver } from "../../server/delivery/receiver.ts";
import { until } from "../condition.ts";
import type { Cluster } from "./cluster.ts";

/** Receives what the Berths send, and refuses some of it at first. */
export class Hooks {
  readonly receiver: Receiver;
  readonly #refused = new Set<string>();
  secret = "";

  constructor(random: () => number) {
    this.receiver = startReceiver((one) => {
      const id = deliveryOf(one);
      if (this.#refused.has(id) || random() > 0.1) return 200;
      this.#refused.add(id);
      return 503;
    });
  }

  get runs(): string {
    return `${this.receiver.url}runs`;
  }

  get issues(): string {
    return `${this.receiver.url}issues`;
  }

  /**
   * Everything that was to be sent was: whatever has one id has the same bytes, and each run that was acknowledged ended
   * once.
   */
  async check(cluster: Cluster, runs: readonly string[]): Promise<{ deliveries: number; requests: number }> {
    await until(
      "everything to be delivered",
      () => cluster.query("select id, state, reason, attempts from deliveries where state <> 'delivered'"),
      (left) => left.length === 0,
    );
    const rows = await cluster.query("select id, type, body from deliveries");
    const bodies = Map.groupBy(this.receiver.received, deliveryOf);
    for (const { id, body } of rows) {
      const came = new Set((bodies.get(String(id)) ?? []).map((one) => one.body));
      expect([id, came]).toEqual([id, new Set([String(body)])]);
    }
    expect(new Set(bodies.keys())).toEqual(new Set(rows.map(({ id }) => String(id))));
    const ended = rows.filter(({ type }) => type === "run.completed");
    const counts = Map.groupBy(ended, ({ body }) => String(JSON.parse(String(body)).run_id));
    for (const run of runs) expect([run, counts.get(run)?.length]).toEqual([run, 1]);
    for (const [run, all] of counts) expect([run, all.length]).toEqual([run, 1]);
    for (const one of this.receiver.received)
      if (one.path === "/issues") expect(this.#isSigned(one)).toBe(true);
    return { deliveries: rows.length, requests: this.receiver.received.length };
  }

  #isSigned({ headers, body }: Received): boolean {
    return isSigned(Buffer.from(body), headers.get("x-service-signature"), this.secret);
  }
}

const deliveryOf = ({ headers }: Received): string => headers.get("webhook-id") ?? "";
