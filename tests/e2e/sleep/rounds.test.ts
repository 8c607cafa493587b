import { expect } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { because, notLong, testUnless } from "../../skips.ts";
import { start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { randomOf } from "../crash-load.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { isThere, processesBelow } from "../executors/processes.ts";

const ROUNDS = 200;
const KEY = "the-key-of-the-rounds";
const SLEEP_MS = 1_200;
const MINUTE_MS = 60_000;
const KILLED = 0.2;

// BERTH_SEED=N repeats rounds that failed.
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

testUnless(notLong ?? because(process.platform !== "linux", "only Linux tells which processes there are"))(
  `${ROUNDS} times asleep and awake under requests, a cron and kills: no request fails, no tick is missed`,
  async () => {
    const random = randomOf(SEED);
    const env = { SLEEP_MINUTES: String(SLEEP_MS / MINUTE_MS), DEPLOY_SETTLE_SECONDS: "0" };
    const berth = await start({ env: { ...env, SERVICE_API_KEY: KEY, EXECUTORS: "1" } });
    try {
      const api = new DeploymentApi(() => berth.url, KEY);
      const { id, latest_revision_id } = await api.fromTemplate("rounds");
      expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
      // What fails is seen to fail: nobody asks again.
      const callerOptions = { maxRetries: 0 };
      const { crons, runs, threads } = new Client({
        apiUrl: `${berth.url}/d/${id}`,
        apiKey: KEY,
        callerOptions,
      });
      const input = { messages: [{ type: "human", content: "hello" }] };
      const { thread_id } = await threads.create();
      const since = Date.now();
      await crons.createForThread(thread_id, "chat", { schedule: "* * * * *", input });
      const ask = async () =>
        expect(await runs.wait(null, "chat", { input })).toMatchObject({
          messages: [expect.anything(), expect.anything()],
        });
      let slept = 0;
      let wasKilled = false;
      for (let round = 0; round < ROUNDS; round += 1) {
        await Bun.sleep(SLEEP_MS * (0.5 + random() * 2.5));
        const [pid] = processesBelow(berth.pid);
        if (pid === undefined) slept += 1;
        // One that ends again and again is left alone for longer and longer, and those who ask are told so.
        wasKilled = pid !== undefined && !wasKilled && random() < KILLED;
        if (pid !== undefined && wasKilled) {
          process.kill(pid, "SIGKILL");
          // Who reaches one that is dying cannot be asked again for it: nobody knows how far that came.
          await until("it is gone", async () => !isThere(pid));
        }
        await Promise.all(Array.from({ length: 1 + Math.floor(random() * 3) }, ask)).catch(
          (error: unknown) => {
            throw new Error(`round ${round}, repeat with BERTH_SEED=${SEED}: ${error}`);
          },
        );
      }
      console.log(`asleep in ${slept} of ${ROUNDS} rounds, seed ${SEED}`);
      const ticks = Math.floor(Date.now() / MINUTE_MS) - Math.floor(since / MINUTE_MS);
      const ended = async () =>
        (await runs.list(thread_id, { limit: 1_000 })).filter(({ status }) => status === "success").length;
      await until("every tick has its run", ended, (count) => count >= ticks);
    } finally {
      expect(await berth.stop()).toBe(0);
    }
  },
  ROUNDS * TEST_LIMIT_MS,
);
