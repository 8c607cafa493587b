import { expect } from "bun:test";
import { notLong, testUnless } from "../skips.ts";
import { until } from "./condition.ts";
import { randomOf } from "./crash-load.ts";
import { startModel } from "./issues/model.ts";
import { openShop, type Shop } from "./issues/shop.ts";

const ROUNDS = 30;
const KINDS = 6;
const TRACES = 4;
const SYLLABLES = ["lo", "mu", "ti", "ra", "so", "ni", "ku", "wo"];
/** Somewhat longer than a scan of so many issues takes. */
const LONGEST_MS = 250;

/** A word for each number, without anything that a fingerprint takes for a variable part. */
const word = (number: number): string =>
  [...number.toString(8).padStart(4, "0")].map((digit) => SYLLABLES[Number(digit)]).join("");

/** A sentence for each number, of which no two share a word: in one place they are of two kinds. */
const sentence = (number: number): string =>
  [0, 1_000, 2_000, 3_000].map((offset) => word(offset + number)).join(" ");

type Issue = { id: string; trace_count: number };
type Delivery = { id: string; type: string };

/** A scan is killed somewhere; what came of it after a restart. */
async function round(shop: Shop, seed: number) {
  const random = randomOf(seed);
  const kinds = Array.from({ length: KINDS }, (_, at) => sentence(seed * KINDS + at));
  await shop.order(kinds.flatMap((kind) => Array<string>(TRACES).fill(kind)));
  // What a run leaves is written beside it, a little later, and is not what is killed here.
  await until(
    "the traces to be kept",
    async () => (await shop.get("/v1/system")).body.engine.unscanned_traces,
    (count) => count === KINDS * TRACES,
  );
  const cut = shop.post("/v1/engine/scan").then(
    () => "done",
    () => "cut",
  );
  await Bun.sleep(random() * LONGEST_MS);
  await shop.killAndRestart();
  const ended = await cut;
  await until(
    "no scan to run",
    async () => (await shop.get("/v1/engine/runs?status=running")).body.resources.length,
    (running) => running === 0,
  );
  // A kill before the scan had begun leaves nothing to go on with.
  await shop.post("/v1/engine/scan");
  return ended;
}

testUnless(notLong)(
  `${ROUNDS} scans that are killed anywhere lose no finding and double none`,
  async () => {
    const model = startModel();
    const shop = await openShop({ ...model.env, RUN_LEASE_MS: "1000" });
    const event_types = ["issue.created", "issue.trace.added"];
    await shop.post("/v1/issue-webhooks", { url: shop.receiver.url, severity_threshold: 3, event_types });
    const ends: string[] = [];
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      ends.push(await round(shop, seed));
      const { resources: issues }: { resources: Issue[] } = (await shop.get("/v1/issues?limit=100")).body;
      const all = await Promise.all(
        issues.slice(0, KINDS).map(async ({ id, trace_count }) => {
          const path = `/v1/deliveries?issue_id=${id}&limit=100`;
          const { resources: deliveries }: { resources: Delivery[] } = (await shop.get(path)).body;
          const created = deliveries.filter(({ type }) => type === "issue.created").length;
          return { trace_count, created, added: deliveries.length - created };
        }),
      );
      const expected = { trace_count: TRACES, created: 1, added: TRACES };
      expect({ seed, all }).toEqual({ seed, all: Array(KINDS).fill(expected) });
    }
    console.log(
      `${ROUNDS} kills, ${ends.filter((end) => end === "cut").length} of them in the middle of a scan`,
    );
    await shop.close();
    model.stop();
  },
  600_000,
);
