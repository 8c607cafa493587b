import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { servedBerth } from "../served-berth.ts";

type Envelope = {
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
};
type Task = {
  id: string;
  contextId: string;
  status: { state: string; timestamp: string };
  artifacts?: unknown[];
};

const MAX_BODY_BYTES = 50_000;
const berth = servedBerth({
  project: join(import.meta.dir, "project"),
  env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES) },
});
const post = (body: unknown, { agent = "steered", ...headers }: Record<string, string> = {}) =>
  fetch(`${berth.url}/a2a/${agent}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const call = async (
  method: unknown,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<Envelope> => {
  const response = await post({ jsonrpc: "2.0", id: 7, method, params }, headers);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("json"),
  ]);
  return response.json();
};
const started = async (params: Record<string, unknown>) =>
  (await call("SendMessage", params)).result?.task as Task;
const code = async (...args: Parameters<typeof call>) => (await call(...args)).error?.code;
const message = (more: Record<string, unknown> = {}) => ({
  message: {
    messageId: `tck-complete-task-${crypto.randomUUID()}`,
    role: "ROLE_USER",
    parts: [{ text: "hi" }],
    ...more,
  },
});
const older = () => ({
  message: {
    kind: "message",
    messageId: "tck-complete-task",
    role: "user",
    parts: [{ kind: "text", text: "hi" }],
  },
});

test("a body that is not JSON by its content type is refused, whatever is in it", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "SendMessage", params: message() });
  for (const type of ["text/plain", "application/xml", "multipart/form-data"]) {
    const refused = await post(body, { "content-type": type });
    expect([type, refused.status]).toEqual([type, 415]);
    expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_005 } });
  }
  expect((await post(body, { "content-type": "application/a2a+json; charset=utf-8" })).status).toBe(200);
});

describe("the two wires", () => {
  test("the name of the method says which; the version may be missing, and must be one of ours", async () => {
    const versions = { none: {}, exact: { "a2a-version": "1.0" }, patch: { "a2a-version": "1.0.3" } };
    for (const headers of Object.values(versions)) {
      const { result } = await call("SendMessage", message(), headers as Record<string, string>);
      expect(result?.task).toMatchObject({
        status: { state: "TASK_STATE_COMPLETED", timestamp: expect.stringMatching(/Z$/) },
        artifacts: [{ name: "Assistant Response", parts: [{ text: "Hello from TCK" }] }],
        history: [{ role: "ROLE_USER" }, { role: "ROLE_AGENT" }],
      });
    }
    for (const headers of [{}, { "a2a-version": "0.3" }, { "a2a-version": "0.3.0" }]) {
      const { result } = await call("message/send", older(), headers as Record<string, string>);
      expect(result).toMatchObject({
        kind: "task",
        status: { state: "completed" },
        artifacts: [{ parts: [{ kind: "text", text: "Hello from TCK" }] }],
        history: [
          { kind: "message", role: "user" },
          { kind: "message", role: "agent" },
        ],
      });
    }
    const refused = await call("SendMessage", message(), { "a2a-version": "99.0" });
    expect(refused.error).toMatchObject({ code: -32_009, data: [{ reason: "VERSION_NOT_SUPPORTED" }] });
    expect(await code("message/send", older(), { "a2a-version": "0.2" })).toBe(-32_009);
  });

  test("trailing slashes and both spellings of parameters are taken", async () => {
    const { result } = await call("SendMessage", message(), { agent: "steered/" });
    const task = result?.task as Task;
    const listed = await call("ListTasks", { context_id: task.contextId, page_size: 5, history_length: 0 });
    expect(listed.result).toMatchObject({ tasks: [{ id: task.id }], pageSize: 5, totalSize: 1 });
  });

  test("subscribing to what is over fails as JSON on the newer wire, as an event on the older", async () => {
    const { id } = await started(message());
    expect(await code("SubscribeToTask", { id })).toBe(-32_004);
    const response = await post({ jsonrpc: "2.0", id: 7, method: "tasks/resubscribe", params: { id } });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const data = /^data: (.*)$/m.exec(await response.text())?.[1];
    expect(JSON.parse(String(data))).toMatchObject({ id: 7, error: { code: -32_004 } });
  });

  test("returnImmediately answers before the run is over", async () => {
    const params = {
      ...message({ messageId: `slow-${crypto.randomUUID()}` }),
      configuration: { returnImmediately: true },
    };
    const { id, status } = await started(params);
    expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(status.state);
    const canceled = await call("CancelTask", { id });
    expect(canceled.result).toMatchObject({ id, status: { state: "TASK_STATE_CANCELED" } });
    expect(await code("CancelTask", { id })).toBe(-32_002);
  });
});

test("on the older wire, too, a message is waited for unless it says otherwise", async () => {
  const quick = { message: { ...older().message, messageId: `tck-complete-task-${crypto.randomUUID()}` } };
  const configurations = [
    undefined,
    {},
    { historyLength: 5 },
    { acceptedOutputModes: ["text/plain"], blocking: null },
    { blocking: true },
  ];
  for (const configuration of configurations) {
    const { result } = await call("message/send", { ...quick, configuration });
    expect([configuration, result?.status]).toMatchObject([
      configuration ?? undefined,
      { state: "completed" },
    ]);
  }
  const slow = { message: { ...older().message, messageId: `slow-${crypto.randomUUID()}` } };
  const { result } = await call("message/send", { ...slow, configuration: { blocking: false } });
  expect(["submitted", "working"]).toContain((result as Task).status.state);
  await call("tasks/cancel", { id: (result as Task).id });
});

test("a command beside the message answers in its place, and a context is the run's", async () => {
  const asked = await started({ ...message({ messageId: "open" }), context: { mood: "calm" } });
  expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  const { kwargs } = (await (await fetch(`${berth.url}/runs/${asked.id}`)).json()) as { kwargs: unknown };
  expect(kwargs).toMatchObject({ context: { mood: "calm" } });
  const reply = message({
    taskId: asked.id,
    contextId: asked.contextId,
    messageId: "m",
    parts: [{ text: "text" }],
  });
  const command = { resume: "via command" };
  for (const wrong of [{ goto: 3 }, "go", []])
    expect(await code("SendMessage", { ...reply, command: wrong })).toBe(-32_602);
  expect(await code("SendMessage", { ...message(), command })).toBe(-32_602);
  expect(await started({ ...reply, command })).toMatchObject({
    id: asked.id,
    artifacts: [{ parts: [{ text: "You said: via command" }] }],
  });
});

test("the history scope: all of the context, or from the task's own first message on", async () => {
  const { contextId } = await started(message());
  const second = message({ contextId, parts: [{ text: "again" }] });
  const { id } = await started({ ...second, configuration: { historyScope: "task" } });
  const texts = async (params: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const { result } = await call("GetTask", { id, ...params }, headers);
    const said = result?.history as { parts: { text: string }[] }[] | undefined;
    return said?.map(({ parts }) => parts[0]?.text);
  };
  const own = ["again", "Hello from TCK"];
  expect(await texts({ historyScope: "task" })).toEqual(own);
  expect(await texts({ history_scope: "task" })).toEqual(own);
  expect(await texts({}, { "langgraph-a2a-history-scope": "task" })).toEqual(own);
  const header = { "langgraph-a2a-history-scope": "task" };
  for (const whole of [await texts({}), await texts({ historyScope: "context" }, header)]) {
    expect(whole).toEqual(["hi", "Hello from TCK", ...own]);
  }
  expect(await code("GetTask", { id, historyScope: "everything" })).toBe(-32_602);
  for (const key of ["historyscope", "HistoryScope", "history-scope", "HISTORY_SCOPE"]) {
    expect([key, await code("GetTask", { id, [key]: "task" })]).toEqual([key, -32_602]);
    const sent = { ...message(), configuration: { [key]: "task" } };
    expect([key, await code("SendMessage", sent)]).toEqual([key, -32_602]);
  }
  const streamed = { ...message(), configuration: { historyScope: "task" } };
  expect(await code("SendStreamingMessage", streamed)).toBe(-32_602);
});

describe("ListTasks", () => {
  test("newest first, by context and state, in pages, without artifacts unless asked", async () => {
    const contextId = crypto.randomUUID();
    const sent: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await started(message({ contextId }));
      sent.unshift(id);
    }
    const asked = await started(message({ contextId, messageId: "open" }));
    const list = async (params: Record<string, unknown>) => {
      const { result } = await call("ListTasks", { contextId, ...params });
      return result as { tasks: Task[]; nextPageToken: string; totalSize: number };
    };
    const everything = await list({});
    expect(everything.tasks.map(({ id }) => id)).toEqual([asked.id, ...sent]);
    expect(everything).toMatchObject({ nextPageToken: "", totalSize: 4 });
    expect(everything.tasks.every(({ artifacts }) => artifacts === undefined)).toBe(true);
    const whole = await list({ includeArtifacts: true, status: "TASK_STATE_COMPLETED" });
    expect(whole.tasks.map(({ id }) => id)).toEqual(sent);
    expect(whole.tasks[0]?.artifacts).toMatchObject([{ parts: [{ text: "Hello from TCK" }] }]);
    expect((await list({ status: "TASK_STATE_INPUT_REQUIRED" })).tasks.map(({ id }) => id)).toEqual([
      asked.id,
    ]);
    for (const status of ["TASK_STATE_REJECTED", "TASK_STATE_WORKING", "TASK_STATE_FAILED"]) {
      expect(await list({ status })).toMatchObject({ tasks: [], totalSize: 0 });
    }
    const first = await list({ pageSize: 3 });
    const second = await list({ pageSize: 3, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual([asked.id, ...sent]);
    expect(second.nextPageToken).toBe("");
    const since = String(everything.tasks[0]?.status.timestamp);
    expect((await list({ statusTimestampAfter: since })).tasks.map(({ id }) => id)).toContain(asked.id);
    expect((await list({ statusTimestampAfter: "2999-01-01T00:00:00Z" })).tasks).toEqual([]);

    // An answered task is one task, however many runs it took.
    await call("SendMessage", message({ taskId: asked.id, messageId: crypto.randomUUID() }));
    const after = await list({});
    expect(after).toMatchObject({
      totalSize: 4,
      tasks: [{ id: asked.id, status: { state: "TASK_STATE_COMPLETED" } }, {}, {}, {}],
    });
  });

  test("refuses pages, tokens, times and states that are none", async () => {
    const wrong = [
      { pageSize: 0 },
      { pageSize: 101 },
      { pageSize: 1.5 },
      { pageToken: "x" },
      { statusTimestampAfter: "soon" },
      { historyLength: -1 },
      { historyLength: 11 },
      { status: "TASK_STATE_TIRED" },
    ];
    for (const params of wrong) expect([params, await code("ListTasks", params)]).toEqual([params, -32_602]);
  });
});

describe("what is wrong", () => {
  test("is refused with the protocol's codes, never as our own failure", async () => {
    const cases: [method: unknown, params: unknown, code: number][] = [
      ["NoSuchMethod", {}, -32_601],
      ["NoSuchMethod", undefined, -32_601],
      ["no/such", {}, -32_601],
      ["GetTask", { id: crypto.randomUUID() }, -32_001],
      ["GetTask", {}, -32_001],
      ["GetTask", { id: 7 }, -32_001],
      ["GetTask", [], -32_602],
      ["GetTask", { id: "x", historyLength: -1 }, -32_602],
      ["GetTask", { id: "x", historyLength: 10 }, -32_001],
      ["GetTask", { id: "x", historyLength: 11 }, -32_602],
      ["tasks/get", { id: "x", historyLength: 11 }, -32_602],
      ["SendMessage", { ...message(), configuration: { historyLength: 11 } }, -32_602],
      ["CancelTask", { id: "x" }, -32_001],
      ["SubscribeToTask", { id: "x" }, -32_001],
      ["SendMessage", {}, -32_602],
      ["SendMessage", { message: "text" }, -32_602],
      ["SendMessage", message({ parts: [] }), -32_602],
      ["SendMessage", message({ parts: ["text"] }), -32_602],
      ["SendMessage", message({ parts: [{}] }), -32_602],
      ["SendMessage", message({ parts: [{ data: 12 }] }), -32_602],
      ["SendMessage", message({ parts: [{ text: { a: 1 } }] }), -32_602],
      ["SendMessage", message({ parts: [{ url: 7 }] }), -32_602],
      ["SendMessage", message({ parts: [{ raw: "!!!notbase64" }] }), -32_602],
      ["SendMessage", message({ parts: [{ text: "x", filename: {} }] }), -32_602],
      ["SendMessage", message({ role: "nonsense" }), -32_602],
      ["SendMessage", message({ role: undefined }), -32_602],
      ["SendMessage", message({ messageId: "" }), -32_602],
      ["SendMessage", message({ contextId: "no-uuid" }), -32_602],
      ["SendMessage", message({ taskId: crypto.randomUUID() }), -32_001],
      ["SendStreamingMessage", message({ parts: [] }), -32_602],
      ["SendStreamingMessage", message({ taskId: "x" }), -32_001],
      ["message/send", { message: { parts: 3 } }, -32_602],
      ["message/send", {}, -32_602],
      ["message/send", { message: { ...older().message, contextId: 7 } }, -32_602],
      ["message/send", { message: { ...older().message, parts: [{ kind: "text" }] } }, -32_602],
      [
        "message/send",
        { message: { ...older().message, parts: [{ kind: "text", text: { a: 1 } }] } },
        -32_602,
      ],
      [
        "message/send",
        { message: { ...older().message, parts: [{ kind: "file", file: { bytes: "?" } }] } },
        -32_602,
      ],
      ["message/send", { message: { ...older().message, parts: [{ kind: "file" }] } }, -32_602],
      ["message/send", { ...older(), configuration: { historyLength: "x" } }, -32_602],
      ["message/stream", { message: { ...older().message, taskId: {} } }, -32_602],
      ["message/stream", { message: null }, -32_602],
      ["tasks/get", { id: "x" }, -32_001],
      ["tasks/get", {}, -32_001],
      ["tasks/cancel", { id: "x" }, -32_001],
      ["CreateTaskPushNotificationConfig", { taskId: "x", url: "https://example.com" }, -32_003],
      ["GetTaskPushNotificationConfig", { taskId: "x", id: "y" }, -32_003],
      ["ListTaskPushNotificationConfigs", { taskId: "x" }, -32_003],
      ["DeleteTaskPushNotificationConfig", { taskId: "x", id: "y" }, -32_003],
      ["tasks/pushNotificationConfig/get", { id: "x" }, -32_003],
    ];
    for (const [method, params, expected] of cases) {
      expect([method, params, await code(method, params)]).toEqual([method, params, expected]);
    }
  });

  test("no JSON, no JSON-RPC, too deep, too large, no such assistant", async () => {
    for (const body of ["", "{", "[".repeat(2_000) + "]".repeat(2_000)]) {
      const response = await post(body);
      expect([body, response.status]).toEqual([body, 400]);
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_700 } });
    }
    const envelopes = [
      '"jsonrpc":"1.0","id":1,"method":"GetTask","params":{}',
      '"jsonrpc":"2.0","id":{"a":1},"method":"GetTask","params":{}',
      '"jsonrpc":"2.0","id":{"a":1},"method":"tasks/get","params":{}',
      '"jsonrpc":"2.0","id":1,"method":7',
    ].map((members) => `{${members}}`);
    for (const body of ["12", "[]", "{}", ...envelopes]) {
      expect([body, await (await post(body)).json()]).toMatchObject([body, { error: { code: -32_600 } }]);
    }
    expect((await post(JSON.stringify({ filler: "x".repeat(MAX_BODY_BYTES) }))).status).toBe(413);
    expect(
      (await post({ jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} }, { agent: "nobody" })).status,
    ).toBe(404);
  });
});
