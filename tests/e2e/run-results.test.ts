import { describe, expect, test } from "bun:test";
import { IN_PYTHON } from "./berth-process.ts";
import { type Client, forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

type Message = { id: string; type: string; content: string };
type Values = { messages: Message[] };
type Failure = { __error__: { error: string; message: string } };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const texts = (values: unknown) => (values as Values).messages.map(({ content }) => content);
const conversation = ["hello", "begin", "tool_call__begin", "end"];

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const newThread = async () => {
    const client = connect();
    return { client, thread_id: (await client.threads.create()).thread_id };
  };

  describe("wait", () => {
    test("gives the final values, says once which run it was, and leaves an idle thread", async () => {
      const { client, thread_id } = await newThread();
      const created: { run_id: string }[] = [];
      const values = await client.runs.wait(thread_id, "agent", {
        input,
        onRunCreated: (run) => void created.push(run),
      });
      expect(texts(values)).toEqual(conversation);
      expect(created).toHaveLength(1);
      const { run_id } = present(created[0]);
      expect(await client.runs.get(thread_id, run_id)).toMatchObject({
        run_id,
        thread_id,
        status: "success",
      });
      const thread = await client.threads.get<Values>(thread_id);
      expect(thread.status).toBe("idle");
      expect(thread.values).toEqual(values as Values);
    });

    test("throws what the graph threw, by its name", async () => {
      const { client, thread_id } = await newThread();
      await expect(client.runs.wait(thread_id, "error", { input })).rejects.toThrow("CustomError: Boo!");
      expect((await client.threads.get(thread_id)).status).toBe("error");
      const values = await client.runs.wait(thread_id, "error", { input, raiseError: false });
      expect(values as Failure).toEqual({ __error__: { error: "CustomError", message: "Boo!" } });
      const state = await client.threads.getState(thread_id);
      expect(state.tasks.at(-1)?.error).toContain("Boo!");
    });

    test("a recursion limit ends in GraphRecursionError", async () => {
      const { client, thread_id } = await newThread();
      const limited = client.runs.wait(thread_id, "agent", { input, config: { recursion_limit: 1 } });
      await expect(limited).rejects.toThrow(/GraphRecursionError/);
      expect((await client.threads.get(thread_id)).status).toBe("error");
      await client.runs.wait(thread_id, "agent", { input });
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });

    // The in-memory servers of both languages answer the same.
    test("tells the interrupt that it stopped at; Python the state beside it", async () => {
      const { client, thread_id } = await newThread();
      const asked = { __interrupt__: [{ id: expect.any(String), value: { question: "node?" } }] };
      const values = await client.runs.wait(thread_id, "interrupting", { input: { where: "node" } });
      expect(values as object).toEqual(IN_PYTHON ? { where: "node", ...asked } : asked);
      expect((await client.threads.get(thread_id)).values).toMatchObject({ where: "node" });
    });

    test("tells of a breakpoint as of an interrupt without a question; Python the state", async () => {
      const { client, thread_id } = await newThread();
      const values = await client.runs.wait(thread_id, "agent", { input, interruptAfter: "*" });
      if (IN_PYTHON) expect(texts(values)).toEqual(["hello", "begin"]);
      else expect(values as object).toEqual({ __interrupt__: [] });
    });

    test("of a run without a thread gives its values", async () => {
      const values = await connect().runs.wait(null, "agent", { input });
      expect(texts(values)).toEqual(conversation);
      await expect(connect().runs.wait(null, "error", { input })).rejects.toThrow("CustomError: Boo!");
    });
  });

  describe("background", () => {
    test.concurrent("create answers at once; join waits and gives the values; so does joining again", async () => {
      const { client, thread_id } = await newThread();
      const run = await client.runs.create(thread_id, "delay", { input: { ...input, delay: 1_000 } });
      expect(run).toMatchObject({ thread_id, assistant_id: expect.any(String), kwargs: expect.any(Object) });
      expect(["pending", "running"]).toContain(run.status);
      expect((await client.threads.get(thread_id)).status).toBe("busy");
      const values = await client.runs.join(thread_id, run.run_id);
      expect(texts(values)).toEqual(["hello", "finished after 1000ms"]);
      expect((await client.runs.get(thread_id, run.run_id)).status).toBe("success");
      expect(await client.runs.join(thread_id, run.run_id)).toEqual(values);
    });

    test.concurrent("the join of a failed run tells the failure", async () => {
      const { client, thread_id } = await newThread();
      const run = await client.runs.create(thread_id, "error", { input });
      const joined = (await client.runs.join(thread_id, run.run_id)) as unknown as Failure;
      expect(joined).toEqual({ __error__: { error: "CustomError", message: "Boo!" } });
      await expect(client.runs.join(thread_id, crypto.randomUUID())).rejects.toThrow(/HTTP 404/);
    });

    test.concurrent("list: newest first, by status, paged; get and delete", async () => {
      const { client, thread_id } = await newThread();
      const first = await client.runs.create(thread_id, "agent", { input });
      await client.runs.join(thread_id, first.run_id);
      const second = await client.runs.create(thread_id, "agent", { input, afterSeconds: 3_600 });
      const ids = async (options: object) =>
        (await client.runs.list(thread_id, options)).map(({ run_id }) => run_id);
      expect(await ids({})).toEqual([second.run_id, first.run_id]);
      expect(await ids({ status: "pending" })).toEqual([second.run_id]);
      expect(await ids({ status: "success" })).toEqual([first.run_id]);
      expect(await ids({ limit: 1, offset: 1 })).toEqual([first.run_id]);
      await client.runs.cancel(thread_id, second.run_id);
      expect(await ids({ status: "pending" })).toEqual([]);
      expect(await ids({ status: "interrupted" })).toEqual([second.run_id]);
      await client.runs.delete(thread_id, first.run_id);
      await expect(client.runs.get(thread_id, first.run_id)).rejects.toThrow(/HTTP 404: .*Run not found/);
      expect(await client.threads.getHistory(thread_id)).toEqual([]);
    });
  });

  describe("without a thread", () => {
    // Version 2.0.0 sends on_completion with wait and stream only.
    const onlyThread = async (client: Client, options: object) => {
      const { assistant_id } = await client.assistants.create({ graphId: "agent" });
      await client.runs.wait(null, assistant_id, { input, ...options });
      return client.threads.search<Values>({ metadata: { assistant_id } });
    };

    test("nothing is left behind", async () => {
      const client = connect();
      expect(await onlyThread(client, {})).toEqual([]);
      expect(await onlyThread(client, { onCompletion: "delete" })).toEqual([]);
      const { thread_id, run_id } = await client.runs.create(null, "agent", { input });
      expect(run_id).not.toBe(thread_id);
      await expect(client.threads.get(thread_id)).rejects.toThrow(/HTTP 404/);
    });

    test("the thread is kept when asked for", async () => {
      const client = connect();
      const [kept] = await onlyThread(client, { onCompletion: "keep" });
      const { thread_id, status, values } = present(kept);
      expect({ status, texts: texts(values) }).toEqual({ status: "idle", texts: conversation });
      expect(await client.threads.getHistory(thread_id)).toHaveLength(5);
      const [run] = await client.runs.list(thread_id);
      expect(run?.status).toBe("success");
      expect(texts(await client.runs.wait(thread_id, "agent", { input }))).toHaveLength(8);
    });

    test("the assistant's context is all that the graph needs", async () => {
      const client = connect();
      const { assistant_id } = await client.assistants.create({
        graphId: "runtime",
        context: { model: "openai" },
      });
      const values = await client.runs.wait(null, assistant_id, { input: {} });
      expect(values).toMatchObject({ model: "openai" });
    });
  });
});
