import { afterAll, beforeAll, expect, test } from "bun:test";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import type { BerthProcess } from "../berth-process.ts";
import { until } from "../condition.ts";
import { type Frame, readFrames } from "../crash-http.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { forEachSdk } from "../sdk.ts";
import { collect } from "../stream-parts.ts";
import { Berths } from "./berths.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** A load balancer that sends each request to the next one. */
function balancerOf(berths: readonly BerthProcess[]) {
  let turn = 0;
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      const { url } = berths[turn++ % berths.length] ?? { url: "" };
      return fetch(new Request(`${url}${pathname}${search}`, request), { decompress: false });
    },
  });
}

describeUnless(withoutPostgres())("a client whose requests go to another Berth each time", () => {
  let berths: Berths;
  let balancer: ReturnType<typeof balancerOf>;
  let apiUrl: string;

  beforeAll(async () => {
    berths = await Berths.on();
    const options = { project: CRASH_PROJECT };
    const two = await Promise.all([berths.start(options), berths.start(options)]);
    balancer = balancerOf(two);
    apiUrl = `http://127.0.0.1:${balancer.port}`;
  });
  afterAll(async () => {
    await balancer.stop(true);
    await berths.stop();
  });

  const steps = (total: number, pause: number) => ({
    input: { total, pause },
    config: { recursion_limit: 1_000 },
  });
  const STREAMED = { streamMode: ["values", "custom"] as ("values" | "custom")[], streamResumable: true };

  forEachSdk((Client) => {
    const begun = async (total: number, pause: number) => {
      const client = new Client({ apiUrl });
      const { thread_id } = await client.threads.create();
      const { run_id } = await client.runs.create(thread_id, "steps", {
        ...steps(total, pause),
        ...STREAMED,
      });
      const look = () => client.runs.get(thread_id, run_id);
      await until("the run under way", look, ({ status }) => status !== "pending");
      return { client, thread_id, run_id };
    };

    test("waits, streams, joins", async () => {
      const { client, thread_id, run_id } = await begun(10, 20);
      expect(await client.runs.join(thread_id, run_id)).toMatchObject({ steps: upTo(10) });
      expect(await client.runs.wait(thread_id, "steps", steps(11, 1))).toMatchObject({ steps: upTo(11) });
      expect(await client.runs.wait(null, "steps", { input: { total: 2, pause: 1 } })).toMatchObject({
        steps: [1, 2],
      });
      const parts = await collect(client.runs.stream(thread_id, "steps", { ...steps(13, 1), ...STREAMED }));
      expect(parts.filter(({ event }) => event === "custom")).toHaveLength(2);
      expect((await client.threads.getState<{ steps: number[] }>(thread_id)).values.steps).toEqual(upTo(13));
    });

    test("joins a stream again and again behind the last event, at the other one each time", async () => {
      const { thread_id, run_id } = await begun(30, 20);
      const whole: Frame[] = [];
      let last = "-1";
      for (let isOver = false; !isOver; ) {
        const cut = new AbortController();
        const headers = { "last-event-id": last };
        const path = `${apiUrl}/threads/${thread_id}/runs/${run_id}/stream`;
        const frames: Frame[] = [];
        const reading = fetch(path, { headers, signal: cut.signal })
          .then((response) => readFrames(response, frames))
          .catch(() => false);
        const ended = await Promise.race([
          reading,
          until("some events", async () => frames.length >= 5).then(() => undefined),
        ]);
        if (ended === undefined) cut.abort();
        isOver = (await reading) === true;
        whole.push(...frames);
        last = whole.at(-1)?.id ?? last;
      }
      const custom = whole.filter(({ event }) => event === "custom");
      expect(custom).toHaveLength(30);
      expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    });

    test("cancels a run that the other one executes, at once", async () => {
      for (const action of ["interrupt", "rollback"] as const) {
        const { client, thread_id, run_id } = await begun(900, 50);
        await client.runs.cancel(thread_id, run_id, true, action);
        const found = await client.runs.get(thread_id, run_id).catch(({ status }) => status);
        if (action === "rollback") expect(found).toBe(404);
        else expect(found).toMatchObject({ status: "interrupted" });
        const { status } = await client.threads.get(thread_id);
        expect(status).not.toBe("busy");
      }
    });
  });
});
