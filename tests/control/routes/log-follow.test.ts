import { afterAll, beforeAll, expect, test } from "bun:test";
import { githubBody, openControlRig, placesOf, type Rig, SERVICE_KEY, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
let id: string;
let revision: string;
let older: string;
beforeAll(async () => {
  rig = await openControlRig();
  const { body } = await rig.post("/v2/deployments", githubBody("talks"));
  id = textOf(body, "id");
  older = textOf(body, "latest_revision_id");
  revision = textOf((await rig.post(`/v2/deployments/${id}/revisions`, {})).body, "id");
});
afterAll(() => rig.close());

const say = (message: string, of = revision, kind: "build" | "deploy" = "deploy") =>
  rig.logs.append([
    { deployment_id: id, revision_id: of, kind, at: rig.clock.now(), level: "INFO", message },
  ]);

type Told = { id: string; line: { message: string; revision_id: string; id: string } };

const toldIn = (text: string): Told[] =>
  [...text.matchAll(/^id: (\d+)\nevent: line\ndata: (.*)\n\n/gm)].map(([, id = "", data = ""]) => ({
    id,
    line: JSON.parse(data),
  }));

/** Follows a log until so many lines were told; `meanwhile` begins once it is listened to. */
async function follow(count: number, query: string, meanwhile = async () => {}, since?: string) {
  const stop = new AbortController();
  const headers = { "x-api-key": SERVICE_KEY, ...(since !== undefined && { "last-event-id": since }) };
  const address = `http://localhost/v2/deployments/${id}/logs${query}`;
  const response = await rig.app.handle(new Request(address, { headers, signal: stop.signal }));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const ticking = setInterval(() => void rig.logTail.look(() => rig.logs.newest()), 2);
  try {
    const done = meanwhile();
    let text = "";
    while (toldIn(text).length < count) text += (await reader?.read())?.value ?? "";
    await done;
    return toldIn(text);
  } finally {
    clearInterval(ticking);
    await reader?.cancel();
    stop.abort();
  }
}

const messages = (told: Told[]) => told.map(({ line }) => line.message);

test("a log is told from its beginning, and on as it is written", async () => {
  await say("of the build", revision, "build");
  await say("one");
  await say("two", older);
  const told = await follow(4, "", async () => {
    await say("three");
    await say("not this", revision, "build");
    await say("four", older);
  });
  expect(messages(told)).toEqual(["one", "two", "three", "four"]);
  expect(told.map(({ id }) => id)).toEqual(told.map(({ line }) => line.id));
  expect(messages(await follow(2, "?type=build"))).toEqual(["of the build", "not this"]);
});

test("goes on behind a line, by header or by parameter", async () => {
  const [, second] = await follow(4, "");
  expect(messages(await follow(2, `?since=${second?.id}`))).toEqual(["three", "four"]);
  expect(messages(await follow(2, "?since=0", undefined, second?.id))).toEqual(["three", "four"]);
});

test("tells only the lines that match, however many others come", async () => {
  const told = await follow(2, `?revision_id=${revision}&query=TARGET`, async () => {
    await say("target of another", older);
    await say("a target");
    for (let i = 0; i < 20; i += 1) await say(`noise ${i}`);
    await say("the Target");
  });
  expect(messages(told)).toEqual(["a target", "the Target"]);
});

test("what is wrong is said before anything is told", async () => {
  const answer = await rig.get(`/v2/deployments/${id}/logs?type=all&level=LOUD&since=x&revision_id=y`);
  expect(placesOf(answer).sort()).toEqual(
    ["level", "revision_id", "since", "type"].map((name) => `query.${name}`),
  );
  expect((await rig.get(`/v2/deployments/${UNKNOWN_ID}/logs`)).status).toBe(404);
  expect((await rig.get(`/v2/deployments/${id}/logs?revision_id=${UNKNOWN_ID}`)).status).toBe(404);
  const theirs = await rig.stranger("theirs");
  expect((await theirs.get(`/v2/deployments/${id}/logs`)).status).toBe(404);
});

test("what can be deployed depends on the edition", async () => {
  const { body } = await rig.get("/v1/sources");
  expect(body).toEqual({
    sources: ["github", "internal_docker", "internal_source", "internal_template"],
    templates: expect.arrayContaining([{ name: "chat", description: expect.stringMatching(/\w/) }]),
  });
  const other = await openControlRig({ edition: "self_hosted" });
  expect((await other.get("/v1/sources")).body).toMatchObject({ sources: ["external_docker"] });
  await other.close();
});
