import { afterAll, beforeAll, expect, test } from "bun:test";
import { openIssueRig, type Rig, resources, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openIssueRig();
  await rig.fail(1);
});
afterAll(() => rig.close());

const path = async () =>
  `/v1/sessions/${resources(await rig.get("/v1/sessions?served=true"))[0]?.id}/grouping`;
const rule = (match: unknown, key: unknown = "k") => ({ rules: [{ match, key }] });

test("grouping rules are put and got, and a PUT takes the place of all", async () => {
  const at = await path();
  expect((await rig.get(at)).body).toEqual({ rules: [] });
  const put = await rig.send("PUT", at, rule({ message: "no * left", node: null }));
  expect([put.status, put.body]).toEqual([200, rule({ message: "no * left" })]);
  expect((await rig.get(at)).body).toEqual(rule({ message: "no * left" }));
  await rig.send("PUT", at, { rules: [] });
  expect((await rig.get(at)).body).toEqual({ rules: [] });
});

test("a rule that says nothing, or too much, changes nothing", async () => {
  const at = await path();
  await rig.send("PUT", at, rule({ node: "a" }));
  for (const body of [
    {},
    rule({}),
    rule({ node: "" }),
    rule({ node: 1 }),
    rule({ node: "x".repeat(501) }),
    rule({ node: "a" }, ""),
    rule({ node: "a" }, "x".repeat(201)),
    { rules: Array.from({ length: 101 }, () => ({ match: { node: "a" }, key: "k" })) },
  ])
    expect((await rig.send("PUT", at, body)).status).toBe(422);
  expect((await rig.get(at)).body).toEqual(rule({ node: "a" }));
});

test("the rules of a project that is not there, or another workspace's, are nobody's", async () => {
  const unknown = `/v1/sessions/${UNKNOWN_ID}/grouping`;
  expect((await rig.get(unknown)).status).toBe(404);
  expect((await rig.send("PUT", unknown, { rules: [] })).status).toBe(404);
  const at = await path();
  const stranger = await rig.stranger();
  expect((await stranger.get(at)).status).toBe(404);
  expect((await stranger.send("PUT", at, rule({ node: "b" }))).status).toBe(404);
  expect((await rig.as(null).get(at)).status).toBe(401);
  expect((await rig.get(at)).body).toEqual(rule({ node: "a" }));
});
