import { afterAll, beforeAll, expect, test } from "bun:test";
import { Keys } from "@berth/store";
import { githubBody, openControlRig, type Rig, SERVICE_KEY, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
let theirs: Awaited<ReturnType<Rig["stranger"]>>;
beforeAll(async () => {
  rig = await openControlRig();
  theirs = await rig.stranger("theirs");
});
afterAll(() => rig.close());

type Event = { id: number; event: string; data: Record<string, unknown> };

/** Follows the feed and reads so many events of it. */
async function read(
  count: number,
  query = "",
  headers: Record<string, string> = {},
  meanwhile = async () => {},
) {
  const stop = new AbortController();
  const request = new Request(`http://localhost/v1/changes${query}`, {
    headers: { "x-api-key": SERVICE_KEY, ...headers },
    signal: stop.signal,
  });
  const response = await rig.app.handle(request);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const ticking = setInterval(() => void rig.changeTail.look(() => rig.changes.newest()), 2);
  try {
    await meanwhile();
    let text = "";
    while (eventsIn(text).length < count) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) throw new Error(`the feed ended:\n${text}`);
      text += value;
    }
    return eventsIn(text);
  } finally {
    clearInterval(ticking);
    await reader?.cancel();
    stop.abort();
  }
}

const eventsIn = (text: string): Event[] =>
  [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n\n/gm)].map(([, id, event = "", data = ""]) => ({
    id: Number(id),
    event,
    data: JSON.parse(data),
  }));

test("tells what becomes different, with what it was then, and nothing of another workspace", async () => {
  let id = "";
  const events = await read(4, "", {}, async () => {
    await theirs.post("/v2/deployments", githubBody("hidden"));
    const { body } = await rig.post("/v2/deployments", githubBody("seen"));
    id = textOf(body, "id");
    await rig.revisions.move(textOf(body, "latest_revision_id"), "CREATING", "AWAITING_BUILD");
    await rig.remove(`/v2/deployments/${id}`);
  });
  expect(JSON.stringify(events)).not.toContain("hidden");
  expect(events.map(({ id: at }) => at)).toEqual(events.map(({ id: at }) => at).sort((a, b) => a - b));
  const [first] = events;
  expect(first).toMatchObject({ event: "deployment", data: { id, name: "seen" } });
  expect(events.some(({ event, data }) => event === "revision" && data.deployment_id === id)).toBe(true);
});

test("tells each state as it was, to whoever comes later, and changes of an older Berth as it is now", async () => {
  const since = await rig.changes.newest();
  const { body } = await rig.post("/v2/deployments", githubBody("later"));
  const revision = textOf(body, "latest_revision_id");
  await rig.revisions.move(revision, "CREATING", "AWAITING_BUILD");
  await rig.revisions.move(revision, "AWAITING_BUILD", "BUILDING");
  const statuses = async () =>
    (await read(4, `?since=${since}`))
      .filter(({ event }) => event === "revision")
      .map(({ data }) => data.status);
  expect(await statuses()).toEqual(["CREATING", "AWAITING_BUILD", "BUILDING"]);
  await rig.db.write((tx) =>
    tx
      .updateTable("changes")
      .set({ state: null })
      .where("seq", "<=", since + 2)
      .execute(),
  );
  expect(await statuses()).toEqual(["BUILDING", "AWAITING_BUILD", "BUILDING"]);
});

test("goes on where a reader left it, by header or by parameter", async () => {
  const whole = await read(3, "?since=0");
  const [one, two, three] = whole.map(({ id }) => id);
  expect((await read(2, `?since=${one}`)).slice(0, 2).map(({ id }) => id)).toEqual([two, three] as number[]);
  expect((await read(1, "?since=0", { "last-event-id": String(two) }))[0]?.id).toBe(three as number);
});

test("a position that is none is refused", async () => {
  expect((await rig.get("/v1/changes?since=-1")).status).toBe(422);
  const { status } = await rig.send("GET", "/v1/changes", undefined, { "last-event-id": "abc" });
  expect(status).toBe(422);
});

test("figures are summed over the minutes that are asked for", async () => {
  const id = textOf((await rig.post("/v2/deployments", githubBody("counted"))).body, "id");
  const minute = Math.floor(rig.clock.now() / 60_000) * 60_000;
  const row = {
    deployment_id: id,
    requests: 10,
    errors: 1,
    p50_ms: 2,
    p95_ms: 5,
    open_streams: 3,
    memory_bytes: 1_000,
  };
  await rig.figures.add([
    { ...row, minute: minute - 120 * 60_000 },
    { ...row, minute: minute - 60_000, p95_ms: 9 },
    { ...row, minute, memory_bytes: null },
  ]);
  const { status, body } = await rig.get(`/v2/deployments/${id}/figures?minutes=10`);
  expect([status, body]).toEqual([
    200,
    {
      requests: 20,
      errors: 2,
      p95_ms: 9,
      memory_bytes: 1_000,
      minutes: [
        expect.objectContaining({ minute: new Date(minute - 60_000).toISOString(), requests: 10 }),
        expect.objectContaining({ minute: new Date(minute).toISOString(), open_streams: 3 }),
      ],
    },
  ]);
  const quiet = { requests: 0, errors: 0, p95_ms: null, memory_bytes: null, minutes: [] };
  const other = textOf((await rig.post("/v2/deployments", githubBody("quiet"))).body, "id");
  expect((await rig.get(`/v2/deployments/${other}/figures`)).body).toEqual(quiet);
  expect((await rig.get(`/v2/deployments/${UNKNOWN_ID}/figures?minutes=1441`)).status).toBe(422);
});

test("tells nothing more once the key is deleted", async () => {
  const former = await rig.stranger("former");
  const request = new Request("http://localhost/v1/changes", { headers: { "x-api-key": former.secret } });
  const response = await rig.app.handle(request);
  const ticking = setInterval(() => void rig.changeTail.look(() => rig.changes.newest()), 2);
  const text = response.text();
  await former.remove(`/v1/keys/${former.keyId}`);
  // A good key is trusted for some seconds.
  rig.clock.ms += 10_000;
  const { db, clock } = rig;
  const stays = await new Keys(db, clock).create(former.workspaceId, "stays");
  await rig.as(stays.secret).post("/v2/deployments", githubBody("unseen"));
  try {
    expect(await text).not.toContain("unseen");
  } finally {
    clearInterval(ticking);
  }
});
