import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { AT_ONCE_MS } from "../limits.ts";
import { noFile } from "../postgres/for-data.ts";
import { describeUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { type Answer, call } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";

type Run = { run_id: string; thread_id: string; status: string };

const LOCKED = {
  detail: "Another program holds a lock on the database file, so that nothing can be written",
};
const SERVICE_KEY = "a key of this test only";
/** Read while the database is locked. The thread is first, because the first use of a key is noted in the database. */
const READS = [
  ...["/threads/THREAD", "/threads/THREAD/state", "/v1/traces?q=quince"],
  ...["/ok", "/ok?check_db=1", "/info", "/metrics"],
];
/** Reads below this time did not wait for the lock: it is held for longer, and an event loop would stop for as long. */
const NO_WAIT_MS = 2_000;

describeUnless(noFile)("another program that locks the database file", () => {
  let berth: BerthProcess;
  let thread: string;
  // A stored key, because Berth notes when it was last used: reads do not wait for that write.
  let headers = {};
  const request = (method: string, path: string, body?: unknown) =>
    call(berth.url, method, path, body, headers);
  const read = async <T>(path: string) => (await request("GET", path)).body as T;

  beforeAll(async () => {
    berth = await start({ project: CRASH_PROJECT, env: { SERVICE_API_KEY: SERVICE_KEY } });
    headers = { "x-api-key": SERVICE_KEY };
    thread = ((await request("POST", "/threads", {})).body as Run).thread_id;
    const { secret } = (await request("POST", "/v1/keys", { name: "reader" })).body as { secret: string };
    headers = { "x-api-key": secret };
  });
  afterAll(() => berth?.stop());

  function lock(how: "exclusive" | "immediate"): () => void {
    const other = new Database(join(berth.data, "berth.db"));
    other.run("pragma busy_timeout = 10000");
    other.run(`begin ${how}`);
    return () => {
      other.run("rollback");
      other.close();
    };
  }

  const write = () => request("POST", "/threads", { metadata: { written: "under a lock" } });

  async function readAll(): Promise<void> {
    for (const path of READS) {
      const start = performance.now();
      const { status } = await request("GET", path.replace("THREAD", thread));
      expect([path, status]).toEqual([path, 200]);
      expect([path, performance.now() - start < NO_WAIT_MS]).toEqual([path, true]);
    }
  }

  for (const how of ["exclusive", "immediate"] as const)
    test(`by BEGIN ${how.toUpperCase()}: reads go on, and a write waits until the lock is released`, async () => {
      const unlock = lock(how);
      const written: Answer[] = [];
      let writing: Promise<unknown> | undefined;
      try {
        await readAll();
        writing = write().then((answer) => written.push(answer));
        await readAll();
        expect(written).toEqual([]);
      } finally {
        unlock();
      }
      await writing;
      expect(written[0]?.status).toBe(200);
    });

  test("for longer than a request waits: 503 says so, runs go on after the lock", async () => {
    const created = await request("POST", `/threads/${thread}/runs`, {
      assistant_id: "steps",
      input: { total: 4, pause: 200 },
    });
    const path = `/threads/${thread}/runs/${(created.body as Run).run_id}`;
    await until("the run to start", async () => (await read<Run>(path)).status === "running");
    const unlock = lock("exclusive");
    try {
      const refused = await write();
      expect([refused.status, refused.body]).toEqual([503, LOCKED]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      await readAll();
    } finally {
      unlock();
    }
    const start = performance.now();
    expect((await write()).status).toBe(200);
    expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
    expect(await read(`${path}/join`)).toMatchObject({ steps: [1, 2, 3, 4] });
    expect((await read<Run>(path)).status).toBe("success");
  });
});
