import { expect, test } from "bun:test";
import { join } from "node:path";
import { servedBerth } from "../served-berth.ts";

const berth = servedBerth({ project: join(import.meta.dir, "project") });

const SCHEDULE = "0 0 1 1 *";

async function send(token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${berth.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function newThread(): Promise<string> {
  return (await send("ada", "POST", "/threads", {})).body.thread_id;
}

const PATHS: [string, () => Promise<string>][] = [
  ["on threads of its own", async () => "/runs/crons"],
  ["on one thread", async () => `/threads/${await newThread()}/runs/crons`],
];

test.each(PATHS)("a change of a cron cannot give its runs what the handler refuses: %s", async (_, path) => {
  const wanted = {
    assistant_id: "who",
    schedule: SCHEDULE,
    input: { said: "fine" },
    metadata: { topic: "a" },
  };
  const made = await send("ada", "POST", await path(), wanted);
  expect(made.status).toBe(200);
  const at = `/runs/crons/${made.body.cron_id}`;
  const refusal = { status: 403, body: { detail: "Not in these words" } };
  for (const more of [{}, { enabled: false }, { config: { tags: ["x"] } }, { metadata: { topic: "b" } }])
    expect(await send("ada", "PATCH", at, { input: { said: "a curse" }, ...more })).toEqual(refusal);
  expect((await send("ada", "GET", at)).body).toEqual(made.body);
});

test("the handler sees the runs of a changed cron as they will be, and what it changes counts", async () => {
  const wanted = {
    assistant_id: "who",
    schedule: SCHEDULE,
    input: { said: "fine" },
    metadata: { topic: "a" },
  };
  const { body: made } = await send("ada", "POST", "/runs/crons", wanted);
  const at = `/runs/crons/${made.cron_id}`;
  const run = expect.any(String);

  const { body: configured } = await send("ada", "PATCH", at, { config: { tags: ["x"] } });
  expect(configured.payload).toMatchObject({ input: { said: "fine" }, config: { tags: ["x"] } });
  const told = { run_id: run, said: "fine" };
  expect(configured.metadata).toEqual({ topic: "a", owner: "ada", told });
  expect(configured.metadata.told.run_id).not.toBe(made.metadata.told.run_id);

  const more = { input: { said: "better" }, metadata: { color: "red" } };
  const { body: said } = await send("ada", "PATCH", at, more);
  expect(said.payload).toMatchObject({ input: { said: "better" }, config: { tags: ["x"] } });
  const better = { run_id: run, said: "better" };
  expect(said.metadata).toEqual({ topic: "a", color: "red", owner: "ada", told: better });

  const { body: reset } = await send("ada", "PATCH", at, { config: null, enabled: true });
  expect(reset.payload.input).toEqual({ said: "better" });
  expect(reset.payload.config ?? null).toBeNull();
});

test("a cron can be disabled without the permission to start runs", async () => {
  const { body: made } = await send("ada", "POST", "/runs/crons", {
    assistant_id: "who",
    schedule: SCHEDULE,
  });
  const at = `/runs/crons/${made.cron_id}`;
  // The same user later, when the handlers no longer let them start runs.
  for (const change of [{ enabled: true }, { schedule: "* * * * *" }, { metadata: { topic: "b" } }, {}])
    expect((await send("retired", "PATCH", at, change)).status).toBe(403);
  const disabled = await send("retired", "PATCH", at, { enabled: false });
  expect(disabled).toMatchObject({ status: 200, body: { enabled: false, next_run_date: null } });
});
