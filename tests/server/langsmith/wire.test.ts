import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { type IngestRig, MAX_BODY_BYTES, OTHERS_KEY, openIngest, tracesOf } from "./rig.ts";

// What the Python client sends, without it: parts with a length of their own, packed with zstd as one frame.
let rig: IngestRig;
beforeAll(async () => {
  rig = await openIngest();
});
afterAll(() => rig.close());

const BOUNDARY = "6ea36f0b2dd948ffa4a7d7a4a9d5fd5d";
type Parts = Record<string, unknown>;

function multipart(parts: Parts): Buffer {
  const text = Object.entries(parts).map(([name, value]) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    const head = `Content-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n`;
    return `--${BOUNDARY}\r\n${head}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}\r\n`;
  });
  return Buffer.from(`${text.join("")}--${BOUNDARY}--\r\n`);
}

function post(path: string, body: Buffer | string, headers: Record<string, string> = {}) {
  return fetch(`${rig.endpoint}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : new Uint8Array(body),
    headers: {
      "x-api-key": "a key",
      "content-type": path.endsWith("multipart")
        ? `multipart/form-data; boundary=${BOUNDARY}`
        : "application/json",
      ...headers,
    },
  });
}

function aRun(project: string, more: Parts = {}) {
  const id = Bun.randomUUIDv7();
  const form = {
    ...{ id, trace_id: id, dotted_order: `20260102T030405678901Z${id}`, session_name: project },
    ...{ name: "chain", run_type: "chain", start_time: "2026-01-02T03:04:05.678901", ...more },
  };
  return { id, form };
}

test("parts are put together again, in every packing", async () => {
  const packings: Record<string, (bytes: Buffer) => Uint8Array> = {
    identity: (bytes) => bytes,
    gzip: (bytes) => Bun.gzipSync(new Uint8Array(bytes)),
    zstd: (bytes) => Bun.zstdCompressSync(new Uint8Array(bytes)),
  };
  for (const [encoding, pack] of Object.entries(packings)) {
    const { id, form } = aRun(encoding);
    const body = multipart({
      [`post.${id}`]: form,
      [`post.${id}.inputs`]: { text: "ü\r\n--x" },
      [`post.${id}.serialized`]: { lc: 1 },
      [`attachment.${id}.image`]: "not JSON at all",
      [`patch.${id}`]: { id, trace_id: id, end_time: "2026-01-02T03:04:06.678901" },
      [`patch.${id}.outputs`]: { answer: 42 },
      [`patch.${id}.extra`]: { metadata: { langgraph_node: "agent" } },
      [`feedback.${Bun.randomUUIDv7()}`]: { run_id: id, trace_id: id, key: "ok", score: true },
    });
    const response = await post("/runs/multipart", Buffer.from(pack(body)), { "content-encoding": encoding });
    expect([response.status, await response.json()]).toMatchObject([202, { written: 3, dropped: 0 }]);
    const [whole] = await tracesOf(rig, encoding);
    expect(whole?.trace).toMatchObject({ status: "success", latency_ms: 1_000 });
    expect(whole?.spans[0]).toMatchObject({
      inputs: JSON.stringify({ text: "ü\r\n--x" }),
      outputs: '{"answer":42}',
      node: "agent",
      metadata: { dropped_attachments: ["image"] },
    });
    expect(whole?.feedback).toMatchObject([{ key: "ok", score: 1 }]);
  }
});

test("the same twice is there once, and the end may come before the beginning", async () => {
  const { id, form } = aRun("twice");
  const end = { id, trace_id: id, session_name: "twice", end_time: "2026-01-02T03:04:07", outputs: { a: 1 } };
  for (const batch of [{ patch: [end] }, { post: [form] }, { post: [form], patch: [end] }])
    expect((await post("/runs/batch", JSON.stringify(batch))).status).toBe(202);
  const traces = await tracesOf(rig, "twice");
  expect(traces).toHaveLength(1);
  expect(traces[0]?.trace).toMatchObject({ name: "chain", status: "success", span_count: 1 });
});

test("news that name no trace find the run that is there", async () => {
  const { id, form } = aRun("patched");
  const patch = (runId: string) =>
    fetch(`${rig.endpoint}/runs/${runId}`, {
      method: "PATCH",
      headers: { "x-api-key": "a key", "content-type": "application/json" },
      body: JSON.stringify({ error: "ValueError('late')", end_time: "2026-01-02T03:04:07" }),
    });
  await post("/runs", JSON.stringify(form));
  expect((await patch(id)).status).toBe(202);
  expect((await tracesOf(rig, "patched"))[0]?.trace.error).toEqual({ type: "ValueError", message: "late" });
  expect((await patch(Bun.randomUUIDv7())).status).toBe(404);
});

test("feedback that overtakes its run waits for it", async () => {
  const { id, form } = aRun("overtaken");
  const feedback = post("/feedback", JSON.stringify({ run_id: id, key: "early", score: 0.5 }));
  await Bun.sleep(100);
  await post("/runs", JSON.stringify(form));
  expect((await feedback).status).toBe(200);
  expect((await tracesOf(rig, "overtaken"))[0]?.feedback).toMatchObject([{ key: "early", score: 0.5 }]);
  const nobody = { run_id: Bun.randomUUIDv7(), key: "early" };
  expect((await post("/feedback", JSON.stringify(nobody))).status).toBe(404);
});

test("a run that another workspace has is not there", async () => {
  const { id, form } = aRun("ours");
  await post("/runs", JSON.stringify(form));
  const [session] = await rig.sessions.list(DEFAULT_WORKSPACE.id, { name: "ours" }, { limit: 1, offset: 0 });
  const theirs = { "x-api-key": OTHERS_KEY };
  const stolen = { ...form, name: "stolen", session_id: session?.id, session_name: undefined };
  expect((await post("/runs", JSON.stringify(stolen), theirs)).status).toBe(400);
  expect((await post("/runs", JSON.stringify({ ...form, name: "stolen" }), theirs)).status).toBe(400);
  const feedback = { run_id: id, trace_id: id, key: "theirs" };
  expect((await post("/feedback", JSON.stringify(feedback), theirs)).status).toBe(404);
  const [whole] = await tracesOf(rig, "ours");
  expect([whole?.trace.name, whole?.feedback]).toEqual(["chain", []]);
  const seen = await fetch(`${rig.endpoint}/sessions/${session?.id}`, { headers: theirs });
  expect(seen.status).toBe(404);
});

describe("what is too much or no such thing is refused", () => {
  const bomb = Buffer.alloc(MAX_BODY_BYTES * 20, 97);
  const { id, form } = aRun("refused");
  const whole = multipart({ [`post.${id}`]: form });
  const table: [string, Buffer, Record<string, string>, number][] = [
    ["a gzip bomb", Buffer.from(Bun.gzipSync(new Uint8Array(bomb))), { "content-encoding": "gzip" }, 413],
    [
      "a zstd bomb",
      Buffer.from(Bun.zstdCompressSync(new Uint8Array(bomb))),
      { "content-encoding": "zstd" },
      413,
    ],
    ["a body beyond the limit", bomb.subarray(0, MAX_BODY_BYTES + 1), {}, 413],
    ["an unknown packing", whole, { "content-encoding": "br" }, 400],
    ["what is not packed as it says", whole, { "content-encoding": "gzip" }, 400],
    ["half a body", whole.subarray(0, -40), {}, 400],
    ["no boundary", whole, { "content-type": "multipart/form-data" }, 400],
    ["another boundary", whole, { "content-type": "multipart/form-data; boundary=other" }, 400],
    ["a part of no known name", multipart({ hello: {} }), {}, 400],
    ["a part that is no JSON", multipart({ [`post.${id}`]: "{" }), {}, 400],
    ["a part that is no object", multipart({ [`post.${id}`]: "[]" }), {}, 400],
    ["a part that is too deep", multipart({ [`post.${id}.inputs`]: "[".repeat(5_000) }), {}, 400],
    ["news of a run that nobody knows", multipart({ [`patch.${id}.outputs`]: {} }), {}, 400],
    ["an empty body", Buffer.alloc(0), {}, 400],
  ];
  for (const [what, body, headers, status] of table)
    test(what, async () => {
      const response = await post("/runs/multipart", body, headers);
      expect([response.status, await response.json()]).toEqual([status, { detail: expect.any(String) }]);
      expect(await tracesOf(rig, "refused")).toEqual([]);
    });

  test("batches that are none", async () => {
    for (const body of ["[]", "{}x", '{"post":{}}', '{"post":[{"id":"1"}]}', '{"patch":[null]}'])
      expect((await post("/runs/batch", body)).status).toBeOneOf([400, 422]);
  });

  test("of a batch of which a part fits, that part is kept", async () => {
    const fits = aRun("half");
    const batch = { post: [fits.form], patch: [{ id: Bun.randomUUIDv7(), end_time: 1 }] };
    const response = await post("/runs/batch", JSON.stringify(batch));
    expect([response.status, await response.json()]).toMatchObject([202, { written: 1, dropped: 1 }]);
  });
});
