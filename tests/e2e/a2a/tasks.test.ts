import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { TaskState } from "@a2a-js/sdk";
import { Client as ServerClient } from "@langchain/langgraph-sdk";
import { until } from "../condition.ts";
import { servedBerth } from "../served-berth.ts";
import { all, answer, connect, plain, saying, send, states, told, versions } from "./a2a-client.ts";

const berth = servedBerth({ project: join(import.meta.dir, "project") });
const sdk = () => new ServerClient({ apiUrl: berth.url });
const byId = (id: string) => ({ tenant: "", id });
const unanswered = (taskId: string, contextId: string) =>
  saying("again", { task: taskId, context: contextId });

describe.each(versions)("A2A %s", (version) => {
  const steered = () => connect(berth.url, "steered", version);

  test("the client finds its wire in the card", async () => {
    const client = await steered();
    expect(client.protocolVersion).toBe(version);
    expect(await client.getAgentCard()).toMatchObject({
      name: "steered",
      description: "Does what the id of the message says",
      capabilities: { streaming: true },
    });
  });

  test("send: the task is a run, its context a thread, its answer an artifact", async () => {
    const client = await steered();
    const id = `tck-complete-task-${crypto.randomUUID()}`;
    const task = await send(client, saying("hi", { id }));
    expect(states(task)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answer(task)).toEqual(["Hello from TCK"]);
    expect(task.history.map(({ role, parts }) => [role, ...plain(parts)])).toEqual([
      [1, "hi"],
      [2, "Hello from TCK"],
    ]);
    const run = await sdk().runs.get(task.contextId, task.id);
    expect(run.status).toBe("success");
    const { values } = await sdk().threads.getState<{ messages: { id: string }[] }>(task.contextId);
    expect(values.messages[0]?.id).toBe(id);
    expect(await client.getTask(byId(task.id))).toEqual(task);
    const brief = await client.getTask({ ...byId(task.id), historyLength: 1 });
    expect(brief.history.flatMap(({ parts }) => plain(parts))).toEqual(["Hello from TCK"]);
  });

  test("a second message to the context goes on with the conversation, as a task of its own", async () => {
    const client = await steered();
    const first = await send(client, saying("one", { id: `tck-complete-task-${crypto.randomUUID()}` }));
    const second = await send(
      client,
      saying("two", { id: `tck-artifact-text-${crypto.randomUUID()}`, context: first.contextId }),
    );
    expect(second.contextId).toBe(first.contextId);
    expect(second.id).not.toBe(first.id);
    expect(second.history.flatMap(({ parts }) => plain(parts))).toEqual([
      "one",
      "Hello from TCK",
      "two",
      "Generated text content",
    ]);
    // What was true of the first one still is.
    expect(answer(await client.getTask(byId(first.id)))).toEqual(["Hello from TCK"]);
    await expect(send(client, unanswered(first.id, first.contextId))).rejects.toThrow("completed");
  });

  test("text, files and data come in and go out", async () => {
    const client = await steered();
    const given = async (id: string) =>
      answer(await send(client, saying("go", { id: `${id}-${crypto.randomUUID()}` })));
    const file = { filename: "output.txt", mediaType: "text/plain" };
    expect(await given("tck-artifact-file")).toEqual([{ ...file, raw: "content of the file" }]);
    expect(await given("tck-artifact-file-url")).toEqual([
      { ...file, url: "https://example.com/output.txt" },
    ]);
    expect(await given("tck-artifact-data")).toEqual([{ key: "value", count: 42 }]);

    const talker = await connect(berth.url, "talker", version);
    const sent = [
      { text: "look" },
      { raw: btoa("png"), mediaType: "image/png", filename: "a.png" },
      { url: "https://example.com/a.pdf", mediaType: "application/pdf", filename: "a.pdf" },
    ];
    const heard = answer(await send(talker, saying(sent)));
    expect(JSON.parse(String(heard[0]))).toEqual([
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${btoa("png")}` } },
      {
        type: "file",
        source_type: "url",
        url: "https://example.com/a.pdf",
        mime_type: "application/pdf",
        metadata: { filename: "a.pdf" },
      },
    ]);
  });

  test("a graph without messages takes data and gives its values; text it refuses and says why", async () => {
    const client = await connect(berth.url, "echo", version);
    const task = await send(client, saying([{ data: { text: "hey" } }, { data: { times: 2 } }]));
    expect(answer(task)).toMatchObject([{ text: "hey hey", thread: task.contextId }]);
    await expect(send(client, saying("hey"))).rejects.toThrow("takes no messages");
  });

  test("a failure is the task's state, with its reason", async () => {
    const client = await steered();
    const task = await send(client, saying("go", { id: `tck-reject-task-${crypto.randomUUID()}` }));
    expect(states(task)).toBe(TaskState.TASK_STATE_FAILED);
    expect(plain(task.status?.message?.parts)).toEqual(["Task rejected"]);
    expect(task.artifacts).toEqual([]);
  });

  test("a question leaves the task open until its answer comes, which goes on with the same task", async () => {
    const client = await steered();
    const asked = await send(client, saying("begin"));
    expect(states(asked)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(plain(asked.status?.message?.parts)[0]).toBe("What now?");
    const elsewhere = saying("x", { task: asked.id, context: crypto.randomUUID() });
    await expect(send(client, elsewhere)).rejects.toThrow("not of the context");
    const done = await send(client, saying("stop", { task: asked.id }));
    expect([done.id, done.contextId]).toEqual([asked.id, asked.contextId]);
    expect(states(done)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answer(done)).toEqual(["You said: stop"]);
    expect(await client.getTask(byId(asked.id))).toEqual(done);
    expect(await sdk().runs.list(asked.contextId)).toHaveLength(2);
    await expect(send(client, saying("more", { task: asked.id }))).rejects.toThrow("completed");
  });

  test("of two answers at once one counts; a question that is passed over is asked no more", async () => {
    const client = await steered();
    const asked = await send(client, saying("begin"));
    const answers = await Promise.allSettled(
      ["left", "right"].map((text) => send(client, saying(text, { task: asked.id }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await sdk().runs.list(asked.contextId)).toHaveLength(2);

    const other = await send(client, saying("begin"));
    const id = `tck-complete-task-${crypto.randomUUID()}`;
    const next = await send(client, saying("something else", { id, context: other.contextId }));
    expect(states(next)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(states(await client.getTask(byId(other.id)))).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(send(client, saying("late", { task: other.id }))).rejects.toThrow("completed");
  });

  test("several questions are answered by their ids", async () => {
    const client = await connect(berth.url, "questions", version);
    const asked = await send(client, saying([{ data: {} }]));
    const [words, data] = plain(asked.status?.message?.parts);
    expect(words).toBe("colour?\nsize?");
    const { interrupts } = data as { interrupts: { id: string; value: string }[] };
    const resume = interrupts.map(({ id, value }) => ({ id, value: value === "colour?" ? "red" : "small" }));
    const done = await send(client, saying([{ data: { resume } }], { task: asked.id }));
    expect(answer(done)).toEqual([{ answers: ["colour? red", "size? small"] }]);
  });

  test("stream: the task, the answer as it grows, the answer whole, the end", async () => {
    const client = await connect(berth.url, "talker", version);
    const events = await all(client.sendMessageStream(saying("hey")));
    const [first, ...rest] = events.map(told);
    expect(["task:submitted", "task:working"]).toContain(String(first));
    expect(rest).toEqual(["working", "=h", "+e", "+y", "=hey.", "completed"]);
  });

  test("stream: ends where the task asks, and so does the stream of the answer", async () => {
    const client = await steered();
    const asking = await all(client.sendMessageStream(saying("begin")));
    expect(asking.map(told).slice(1)).toEqual(["working", "input-required"]);
    const payload = asking[0]?.payload;
    const task = payload?.$case === "task" ? payload.value : undefined;
    const answering = await all(client.sendMessageStream(saying("go", { task: String(task?.id) })));
    expect(answering.map(told).slice(1)).toEqual(["working", "=You said: go.", "completed"]);
  });

  test("subscribe: whoever comes later gets what the first one got; the first one's leaving ends nothing", async () => {
    const client = await steered();
    const id = `slow-${crypto.randomUUID()}`;
    const stream = client.sendMessageStream(saying("go", { id }));
    const first = await stream.next();
    const payload = first.value?.payload;
    const taskId = payload?.$case === "task" ? payload.value.id : "";
    await stream.return();
    const following = client.resubscribeTask(byId(taskId));
    expect(told((await following.next()).value ?? { payload: undefined })).toBe("task:working");
    expect(told((await following.next()).value ?? { payload: undefined })).toBe("working");
    await client.cancelTask({ ...byId(taskId), metadata: undefined });
    expect((await all(following)).map(told)).toEqual(["canceled"]);
    await expect(all(client.resubscribeTask(byId(taskId)))).rejects.toThrow("canceled");
  });

  test("subscribe: a task that waits for an answer is followed to its end, whoever answers", async () => {
    const client = await steered();
    const asked = await send(client, saying("begin"));
    const following = client.resubscribeTask(byId(asked.id));
    expect(told((await following.next()).value ?? { payload: undefined })).toBe("task:input-required");
    const end = all(following);
    await send(client, saying("go", { task: asked.id, context: asked.contextId }));
    expect((await end).map(told)).toEqual(expect.arrayContaining(["completed"]));

    const given = await send(client, saying("begin"));
    const waiting = client.resubscribeTask(byId(given.id));
    await waiting.next();
    const over = all(waiting);
    await client.cancelTask({ ...byId(given.id), metadata: undefined });
    expect((await over).map(told).at(-1)).toBe("canceled");
  });

  test("cancel stops the run, once; also a task that waits for an answer", async () => {
    const client = await steered();
    const stream = client.sendMessageStream(saying("go", { id: `slow-${crypto.randomUUID()}` }));
    const payload = (await stream.next()).value?.payload;
    const task = payload?.$case === "task" ? payload.value : undefined;
    const cancel = (id: string) => client.cancelTask({ ...byId(id), metadata: undefined });
    const canceled = await cancel(String(task?.id));
    expect(states(canceled)).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await sdk().runs.get(String(task?.contextId), String(task?.id))).status).toBe("interrupted");
    await expect(cancel(String(task?.id))).rejects.toThrow("canceled");

    const asked = await send(client, saying("begin"));
    expect(states(await cancel(asked.id))).toBe(TaskState.TASK_STATE_CANCELED);
    expect(states(await client.getTask(byId(asked.id)))).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(send(client, saying("late", { task: asked.id }))).rejects.toThrow("canceled");
  });

  test("a run of the Agent Server is a task too", async () => {
    const client = await steered();
    const { thread_id } = await sdk().threads.create();
    const messages = [{ role: "human", content: "hi", id: "tck-complete-task" }];
    const { run_id } = await sdk().runs.create(thread_id, "steered", { input: { messages } });
    const task = await until(
      "the run is over",
      () => client.getTask(byId(run_id)),
      (now) => states(now) === 3,
    );
    expect(answer(task)).toEqual(["Hello from TCK"]);
  });

  test("tasks that are unknown, and another agent's, are not found", async () => {
    const client = await steered();
    const talker = await connect(berth.url, "talker", version);
    const task = await send(talker, saying("hi"));
    for (const id of [task.id, crypto.randomUUID(), "nonsense"]) {
      await expect(client.getTask(byId(id))).rejects.toThrow("not found");
      await expect(client.cancelTask({ ...byId(id), metadata: undefined })).rejects.toThrow("not found");
      await expect(send(client, saying("x", { task: id }))).rejects.toThrow("not found");
      await expect(all(client.resubscribeTask(byId(id)))).rejects.toThrow("not found");
    }
  });
});
