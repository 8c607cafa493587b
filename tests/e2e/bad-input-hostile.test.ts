import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "./bad-input-routes.ts";
import type { RouteRow } from "./bad-input-wrong.ts";
import { type BerthProcess, start } from "./berth-process.ts";

const KEY = "the-key-of-these-tests";
/** What no field expects, whatever it is: nested, enormous, of another type. */
const VALUES: unknown[] = [
  ...[
    {},
    { a: 1 },
    { $gt: "" },
    { toString: 1 },
    [],
    [{}],
    [[[]]],
    "",
    "\u0000",
    "\ud800",
    "%",
    "x".repeat(5_000),
  ],
  ...[-1, 0, 1.5, 2 ** 53, -(2 ** 53), 1e20, 1e300, -1e300, true, null],
];
const TEXTS = [
  ...[
    "99999999999999999999",
    "-99999999999999999999",
    "9007199254740993",
    "1e308",
    "-0",
    "+5",
    "0x10",
    "NaN",
  ],
  ...[
    "\u0000",
    "[object Object]",
    "{}",
    "[1,[2]]",
    '{"a":{}}',
    "null",
    "true",
    "%",
    "'\"--",
    "x".repeat(5_000),
  ],
];
/** Left out: they end what the test runs on, or what is sent is somebody else's to read. */
const WITHOUT = new Set(["POST /threads/{thread_id}/stream", "POST /threads/{thread_id}/stream/events"]);

let berth: BerthProcess;
/** Things that are there: what is sent gets behind the look-up of its place. */
let ids: Record<string, string>;

const headers = { "x-api-key": KEY, "content-type": "application/json" };

async function make(path: string, body: unknown, id: string): Promise<string> {
  const response = await fetch(berth.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const made = (await response.json()) as Record<string, unknown>;
  expect([path, response.ok, typeof made[id]]).toEqual([path, true, "string"]);
  return String(made[id]);
}

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, ENGINE_INTERVAL: "0" } });
  const thread_id = await make("/threads", {}, "thread_id");
  const input = { messages: [{ role: "user", content: "hello" }] };
  const run = { assistant_id: "agent", input };
  const compute = { compute_type: "k8s", compute_id: "east", compute_config: {} };
  const cron = { assistant_id: "agent", schedule: "0 0 1 1 *" };
  ids = {
    thread_id,
    run_id: await make(`/threads/${thread_id}/runs`, run, "run_id"),
    assistant_id: await make("/assistants", { graph_id: "agent" }, "assistant_id"),
    cron_id: await make("/runs/crons", cron, "cron_id"),
    listener_id: await make("/v2/listeners", compute, "id"),
    workspace_id: await make("/v1/workspaces", { name: "one" }, "id"),
    key: "liked",
  };
  await (await fetch(`${berth.url}/threads/${thread_id}/runs/${ids.run_id}/join`, { headers })).text();
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

/** A path with ids that are there, but for one. */
function pathOf({ route }: RouteRow, changed: Record<string, string> = {}): string {
  const [, template = ""] = route.split(" ");
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = changed[name] ?? ids[name] ?? "01920000-0000-7000-8000-000000000000";
    return encodeURIComponent(value.isWellFormed() ? value : "");
  });
}

/** Sends it; whatever it says, it is nobody's fault but the caller's. */
async function expectNoFault(row: RouteRow, path: string, body?: unknown): Promise<void> {
  const [method = ""] = row.route.split(" ");
  const text = body === undefined ? undefined : JSON.stringify(body);
  const gone = new AbortController();
  const response = await fetch(berth.url + path, {
    method,
    headers,
    signal: gone.signal,
    ...(text !== undefined && { body: text }),
  });
  const what = `${method} ${path.slice(0, 300)} ${text?.slice(0, 300) ?? ""}`;
  if (response.status >= 500) expect([what, await response.text()]).toEqual([what, "no 5xx"]);
  gone.abort();
}

/** Not twice the same, and none that removes what the others need. */
const rows = ROUTES.filter(({ route }) => !route.startsWith("DELETE") && !WITHOUT.has(route));

describe.each(rows)("$route", (row) => {
  test("is no 5xx, whatever its fields, its query and its path hold", async () => {
    const names = [...row.route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const sending: (() => Promise<void>)[] = [];
    for (const name of names)
      for (const text of TEXTS)
        sending.push(() => expectNoFault(row, pathOf(row, { [name]: text }), row.body));
    for (const name of Object.keys(row.query ?? {}))
      for (const text of TEXTS)
        sending.push(() =>
          expectNoFault(row, `${pathOf(row)}?${name}=${encodeURIComponent(text)}`, row.body),
        );
    // Names that the schema does not have, too: those in the path, and one that every row has.
    const fields = row.body ? new Set([...Object.keys(row.wrong ?? {}), ...names, "message_id", "id"]) : [];
    for (const field of fields)
      for (const value of VALUES) {
        const body = { ...row.body, [field]: value };
        sending.push(() => expectNoFault(row, pathOf(row), row.list ? [body] : body));
      }
    while (sending.length > 0) await Promise.all(sending.splice(0, 8).map((send) => send()));
  });
});

test("the server said nothing of an internal failure", () => {
  expect(berth.output()).not.toContain('"level":"error"');
});
