import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openControlRig, placesOf, type Rig, sourceBody, textOf } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig();
});
afterAll(() => rig.close());

/** What a deployment with these secrets is refused for. */
async function refused(secrets: object[]): Promise<string> {
  const answer = await rig.post("/v2/deployments", sourceBody("refused", { secrets }));
  expect([answer.status, answer.body]).toEqual([400, { detail: expect.any(String) }]);
  return textOf(answer.body, "detail");
}

describe("secrets", () => {
  test("reserved names, wrong names and values that no variable can hold are refused", async () => {
    for (const name of ["PATH", "SERVICE_API_KEY", "BERTH_ANYTHING", "LANGSMITH_PROJECT", "BUN_OPTIONS"])
      expect(await refused([{ name, value: "x" }])).toContain(name);
    const twice = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    expect(await refused(twice)).toContain("two secrets with the name A");
    const many = Array.from({ length: 201 }, (_, at) => ({ name: `A${at}`, value: "1" }));
    expect(await refused(many)).toContain("200");
    const wrong = [
      { name: "1A", value: "x" },
      { name: "A B", value: "x" },
      { name: "C", value: "x".repeat(65_537) },
      { name: "D", value: "a\u0000b" },
      { name: "E", value: 1 },
    ];
    const loose = wrong.slice(0, 4);
    const answer = await rig.post("/v2/deployments", sourceBody("secretive", { secrets: loose }));
    expect(placesOf(answer)).toEqual(
      ["0.name", "1.name", "2.value", "3.value"].map((at) => `body.secrets.${at}`),
    );
    expect(JSON.stringify(answer.body)).not.toContain("xxx");
    expect(placesOf(await rig.post("/v2/deployments", sourceBody("secretive", { secrets: wrong })))).toEqual([
      "body.secrets.4.value",
    ]);
  });

  test("are in no answer, however wrong the body is", async () => {
    const whole = {
      ...sourceBody("wrong", { secrets: [{ name: "A", value: "leaked-1" }] }),
      name: undefined,
    };
    const list = (secrets: unknown) => sourceBody("wrong", { secrets });
    const sent: [string, unknown][] = [
      ["/v2/deployments", whole],
      ["/v2/deployments", [whole]],
      ["/v2/deployments", list([{ name: "A", value: "leaked-1" }, { value: "leaked-2" }])],
      ["/v2/deployments", list({ A: "leaked-3" })],
      ["/v2/deployments", list("leaked-4")],
      ["/v2/deployments", list(["leaked-5"])],
      ["/v2/deployments", list([{ name: "A", value: ["leaked-6"] }])],
      ["/v1/integrations/github", { token: "leaked-7" }],
      ["/v1/integrations/github", { name: "x", token: "leaked 8" }],
    ];
    for (const [path, body] of sent) {
      const answer = await rig.post(path, body);
      expect([body, answer.status]).toEqual([body, 422]);
      expect(JSON.stringify(answer.body)).not.toContain("leaked");
    }
    // Whatever has no secret in it is told as before.
    const { body } = await rig.post("/v2/deployments", { ...sourceBody("wrong"), source: "gitlab" });
    expect(body).toMatchObject({ detail: [{ loc: ["body", "source"], input: "gitlab" }] });
  });

  test("a mask keeps the value, a list replaces the whole, and nobody reads a value", async () => {
    const secrets = [
      { name: "KEPT", value: "kept-value" },
      { name: "GONE", value: "gone-value" },
    ];
    const made = await rig.post("/v2/deployments", sourceBody("secretive", { secrets }));
    const path = `/v2/deployments/${textOf(made.body, "id")}`;
    const changed = [
      { name: "KEPT", value: "********" },
      { name: "NEW", value: "new-value" },
    ];
    const { body } = await rig.patch(path, { secrets: changed });
    expect(body).toMatchObject({
      secrets: [
        { name: "KEPT", value: "********" },
        { name: "NEW", value: "********" },
      ],
    });
    expect(await rig.revisions.secretsOf(textOf(body, "latest_revision_id"))).toEqual([
      { name: "KEPT", value: "kept-value" },
      { name: "NEW", value: "new-value" },
    ]);
    const masked = { secrets: [{ name: "GONE", value: "********" }] };
    const answer = await rig.patch(path, masked);
    expect([answer.status, textOf(answer.body, "detail")]).toEqual([400, expect.stringContaining("GONE")]);
    for (const seen of [path, "/v2/deployments?limit=100", `${path}/revisions`])
      expect(JSON.stringify((await rig.get(seen)).body)).not.toContain("-value");
  });
});
