import type { Shipment, Traces } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { Job } from "../clock/index.ts";
import { shipmentText } from "./shipment.ts";

type ShipperDeps = {
  traces: Traces;
  /** Where the Berth that deployed this process takes them. */
  url: string;
  token: string;
  log: Logger;
  fetch?: typeof fetch;
};

const EVERY_MS = 500;
const MOST_SPANS = 200;
/** Of inputs and outputs in one request; a single span may have 64 KiB. */
const MOST_BYTES = 4_194_304;
const ANSWER_LIMIT_MS = 10_000;
/** Between attempts where nobody answers. */
const LONGEST_PAUSE_MS = 30_000;
/** What is sent in one turn of the timer loop, so that the loop can be stopped. */
const MOST_IN_TURN = 20;
/** Statuses by which the receiver says that this very content cannot be taken. */
const REFUSALS = new Set([400, 413, 422]);

/**
 * Sends what runs leave to the Berth that deployed this process. A span counts as sent when the answer says that it
 * is kept: after a crash of either side it is sent again, and its id keeps it from being there twice.
 */
export class Shipper {
  #most = MOST_SPANS;
  #failures = 0;
  #notBefore = 0;
  /** Whether something may wait that no commit announces: an attempt failed, or a turn was not enough. */
  #mayWait = true;

  constructor(private readonly deps: ShipperDeps) {}

  jobs(): Job[] {
    const rests = () => !this.#mayWait;
    return [{ name: "traces.ship", everyMs: EVERY_MS, once: (now) => this.once(now), rests }];
  }

  /** Sends what waits, unless an attempt has failed a moment ago. */
  async once(now: number): Promise<void> {
    // Also when the clock was set back: no pause is longer.
    if (now < this.#notBefore && now >= this.#notBefore - LONGEST_PAUSE_MS) return;
    this.#mayWait = true;
    for (let turn = 0; turn < MOST_IN_TURN; turn++) {
      const shipment = await this.deps.traces.unshipped(this.#most);
      if (!shipment) this.#mayWait = false;
      if (!shipment || !(await this.#ship(withinBytes(shipment), now))) return;
    }
  }

  /** Before the process ends: whatever is left waits for the next one of this deployment. */
  async last(limitMs: number): Promise<void> {
    this.#notBefore = 0;
    await Promise.race([this.once(Date.now()).catch(() => undefined), Bun.sleep(limitMs)]);
  }

  async #ship(shipment: Shipment, now: number): Promise<boolean> {
    const status = isEmpty(shipment) ? 200 : await this.#send(shipment);
    if (status !== undefined && REFUSALS.has(status)) return this.#refused(shipment, status);
    if (status !== 200) {
      const pause = Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** this.#failures);
      if (this.#failures === 0) this.deps.log.warn("traces.unshipped", { status: status ?? "no answer" });
      this.#failures += 1;
      this.#notBefore = now + pause;
      return false;
    }
    await this.deps.traces.markShipped(shipment);
    this.#failures = 0;
    this.#most = Math.min(MOST_SPANS, this.#most * 2);
    return true;
  }

  /** One that cannot be taken must not keep back the others: it is found by halves, and given up. */
  async #refused(shipment: Shipment, status: number): Promise<boolean> {
    const { spans, feedback, forgotten } = shipment;
    const count = spans.length + feedback.length + forgotten.length;
    if (count > 1) {
      this.#most = Math.max(1, Math.floor(count / 2));
      if (shipment.packs.length > 0) await this.deps.traces.shipOneByOne(shipment);
      return true;
    }
    this.deps.log.error("traces.refused", { status, span: spans[0]?.id ?? feedback[0]?.id });
    await this.deps.traces.markShipped(shipment);
    return true;
  }

  /** The status of the answer; undefined where there was none. */
  async #send(shipment: Shipment): Promise<number | undefined> {
    const { url, token, fetch: send = fetch } = this.deps;
    try {
      const response = await send(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: shipmentText(shipment),
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  }
}

/** Traces whose spans are sent already need no more than to be noted. */
const isEmpty = ({ spans, feedback, forgotten }: Shipment) =>
  spans.length + feedback.length + forgotten.length === 0;

function withinBytes(shipment: Shipment): Shipment {
  let bytes = 0;
  const end = shipment.spans.findIndex(({ inputs, outputs }) => {
    bytes += (inputs?.length ?? 0) + (outputs?.length ?? 0);
    return bytes > MOST_BYTES;
  });
  return end < 0 ? shipment : { ...shipment, spans: shipment.spans.slice(0, Math.max(1, end)) };
}
