import { expect, test } from "bun:test";
import { join } from "node:path";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { keepsClientData } from "../client-data.ts";
import { servedBerth } from "../served-berth.ts";

const options = {
  project: join(import.meta.dir, "client-data"),
  env: { PYTHON: testPython() ?? "", EXECUTORS: "1" },
};

/** Bodies by path, with half a surrogate pair in what a graph is given, and where it is. */
const UNPAIRED: [path: string, body: string, loc: (string | number)[]][] = [
  [
    "/threads/ID/runs",
    '{"assistant_id":"python","input":{"messages":[{"type":"human","content":"a \\ud83d"}]}}',
    ["body", "input", "messages", 0, "content"],
  ],
  [
    "/threads/ID/runs/wait",
    '{"assistant_id":"python","input":{"doc":{"\\udc00":1}}}',
    ["body", "input", "doc"],
  ],
  [
    "/threads/ID/runs/stream",
    '{"assistant_id":"python","command":{"resume":["\\ud83d"]}}',
    ["body", "command", "resume", 0],
  ],
  ["/runs/wait", '{"assistant_id":"python","input":{"doc":"\\ud83d"}}', ["body", "input", "doc"]],
  ["/runs/batch", '[{"assistant_id":"python","input":{"doc":"\\ud83d"}}]', ["body", "input", "doc"]],
  ["/threads/ID/state", '{"values":{"doc":"\\ud83d"}}', ["body", "values", "doc"]],
];

describeUnless(noPython)("a graph in Python", () => keepsClientData("python", options));

describeUnless(noPython)("the state of a graph in Python", () => {
  const berth = servedBerth(options);

  async function send(method: string, path: string, body?: string) {
    const headers = { "content-type": "application/json" };
    const response = await fetch(berth.url + path, { method, headers, ...(body && { body }) });
    const text = await response.text();
    return { status: response.status, body: text.trim() === "" ? undefined : JSON.parse(text) };
  }

  async function threadOf(graph: string): Promise<string> {
    const { body } = await send("POST", "/threads", JSON.stringify({ metadata: { graph_id: graph } }));
    return body.thread_id;
  }

  test.each(UNPAIRED)("refuses an unpaired surrogate: %s %s", async (path, sent, loc) => {
    const thread = await threadOf("python");
    const { status, body } = await send("POST", path.replace("ID", thread), sent);
    expect({ status, detail: body.detail }).toEqual({
      status: 422,
      detail: [{ loc, msg: expect.stringContaining("unpaired surrogate"), type: "string_unicode" }],
    });
    expect((await send("GET", `/threads/${thread}/runs`)).body).toEqual([]);
    expect((await send("GET", `/threads/${thread}/history`)).body).toEqual([]);
  });

  test("keeps pairs of surrogates", async () => {
    const thread = await threadOf("returns");
    const sent = '{"assistant_id":"returns","input":{"a":"\\ud83d\\ude00"}}';
    expect((await send("POST", `/threads/${thread}/runs/wait`, sent)).body).toEqual({ a: "😀" });
  });

  test("that its schema refuses is answered with the reason", async () => {
    const thread = await threadOf("strict");
    const ran = await send("POST", `/threads/${thread}/runs/wait`, '{"assistant_id":"strict","input":{}}');
    expect(ran.body.__error__.message).toContain("items.0");
    const refusal = {
      status: 400,
      body: { detail: expect.stringMatching(/^The state cannot be read: .*items\.0/s) },
    };
    expect(await send("GET", `/threads/${thread}/state`)).toMatchObject(refusal);
    expect(await send("GET", `/threads/${thread}/history`)).toMatchObject(refusal);
  });
});
