import { afterAll, beforeAll, expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { type Answer, ask, call } from "../crash-http.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { Berths } from "./berths.ts";

const ROUNDS = process.env.BERTH_LONG ? 20 : 3;

type Thread = { thread_id: string };
type State = { values: { said?: string[]; steps?: number[] }; checkpoint: { checkpoint_id: string } };
type Reply = { type: string; error?: string };

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describeUnless(withoutPostgres())("two Berths that are asked for the same at the same moment", () => {
  let berths: Berths;
  let urls: string[];

  beforeAll(async () => {
    berths = await Berths.on();
    const [a, b] = await Promise.all(upTo(2).map(() => berths.start({ project: CRASH_PROJECT })));
    urls = [a?.url ?? "", b?.url ?? ""];
  });
  afterAll(() => berths.stop());

  const one = () => urls[0] ?? "";
  /** The same request at both. */
  const both = (method: string, path: string, bodyOf: (at: number) => unknown): Promise<Answer[]> =>
    Promise.all(urls.map((url, at) => call(url, method, path, bodyOf(at))));
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
  const newThread = async () => (await ask<Thread>(one(), "POST", "/threads", {})).thread_id;
  const stateOf = (id: string) => ask<State>(one(), "GET", `/threads/${id}/state`);

  async function asked(): Promise<{ id: string; interrupt: string }> {
    const id = await newThread();
    await ask(one(), "POST", `/threads/${id}/runs/wait`, { assistant_id: "asking", input: {} });
    const { tasks } = await ask<{ tasks: { interrupts: { id: string }[] }[] }>(
      one(),
      "GET",
      `/threads/${id}/state`,
    );
    return { id, interrupt: tasks[0]?.interrupts[0]?.id ?? "" };
  }

  const settled = (id: string) =>
    ask(one(), "GET", `/threads/${id}/runs`).then(async (runs) => {
      for (const { run_id } of runs as unknown as { run_id: string }[])
        await call(one(), "GET", `/threads/${id}/runs/${run_id}/join`);
    });

  test(
    "answer an interrupt once",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const { id, interrupt } = await asked();
        const answers = await both("POST", `/threads/${id}/commands`, (at) => ({
          id: at + 1,
          method: "input.respond",
          params: { interrupt_id: interrupt, response: `answer ${at}` },
        }));
        const replies = answers.map(({ body }) => body as Reply);
        expect(replies.map(({ type }) => type).sort()).toEqual(["error", "success"]);
        expect(replies.find(({ type }) => type === "error")?.error).toBe("no_such_interrupt");
        await settled(id);
        const winner = replies.findIndex(({ type }) => type === "success");
        expect((await stateOf(id)).values.said).toEqual([`answer: answer ${winner}`, "closed"]);
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "edit a state once on top of one checkpoint",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const id = await newThread();
        await ask(one(), "POST", `/threads/${id}/runs/wait`, {
          assistant_id: "steps",
          input: { total: 1, pause: 0 },
        });
        const answers = await both("POST", `/threads/${id}/state`, (at) => ({
          values: { steps: [100 + at] },
        }));
        const won = answers.filter(({ status }) => status === 200).length;
        expect(won).toBeGreaterThan(0);
        for (const { status } of answers) expect([200, 409]).toContain(status);
        const history = await ask<State[]>(one(), "POST", `/threads/${id}/history`, {});
        // No edit is lost, and none is beside another.
        expect((await stateOf(id)).values.steps).toHaveLength(1 + won);
        expect(new Set(history.map(({ checkpoint }) => checkpoint.checkpoint_id)).size).toBe(history.length);
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "let one of two runs begin that want the thread for themselves",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const id = await newThread();
        const answers = await both("POST", `/threads/${id}/runs`, () => ({
          assistant_id: "steps",
          // Longer than the slower request takes on a busy machine: otherwise it finds a thread at rest.
          input: { total: 2, pause: 10_000 },
          multitask_strategy: "reject",
        }));
        expect(statuses(answers)).toEqual([200, 409]);
        await call(urls[0] ?? "", "DELETE", `/threads/${id}`);
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "create a thread once under its id",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const thread_id = crypto.randomUUID();
        expect(statuses(await both("POST", "/threads", () => ({ thread_id })))).toEqual([200, 409]);
        const again = await both("POST", "/threads", () => ({ thread_id, if_exists: "do_nothing" }));
        expect(statuses(again)).toEqual([200, 200]);
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "leave nothing of a thread that one deletes while the other starts a run on it",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const id = await newThread();
        const run = { assistant_id: "steps", input: { total: 3, pause: 5 } };
        const [created, deleted] = await Promise.all([
          call(urls[0] ?? "", "POST", `/threads/${id}/runs`, run),
          call(urls[1] ?? "", "DELETE", `/threads/${id}`),
        ]);
        expect(deleted.status).toBe(204);
        expect([200, 404]).toContain(created.status);
        const path = `/threads/${id}/runs/${(created.body as { run_id?: string }).run_id}`;
        for (const url of urls) {
          expect((await call(url, "GET", `/threads/${id}`)).status).toBe(404);
          if (created.status === 200) expect((await call(url, "GET", path)).status).toBe(404);
        }
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "copy or prune a thread as it is before or after a run, never in between",
    async () => {
      for (const _ of upTo(ROUNDS)) {
        const id = await newThread();
        const run = { assistant_id: "steps", input: { total: 3, pause: 1 } };
        await ask(one(), "POST", `/threads/${id}/runs/wait`, run);
        const more = { ...run, input: { total: 6, pause: 1 } };
        const [, copied, pruned] = await Promise.all([
          ask(urls[0] ?? "", "POST", `/threads/${id}/runs/wait`, more),
          call(urls[1] ?? "", "POST", `/threads/${id}/copy`),
          call(urls[1] ?? "", "POST", "/threads/prune", { thread_ids: [id], strategy: "keep_latest" }),
        ]);
        expect(pruned.status).toBe(200);
        expect(copied.status).toBe(200);
        const { thread_id } = copied.body as Thread;
        const steps = (await stateOf(thread_id)).values.steps ?? [];
        expect(steps).toEqual(upTo(steps.length).map((at) => at + 1));
        expect((await stateOf(id)).values.steps).toEqual([1, 2, 3, 4, 5, 6]);
      }
    },
    TEST_LIMIT_MS,
  );
});
