import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { because, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { DeploymentApi, type Revision } from "./deployment-api.ts";
import { tinyAgent } from "./tiny-agent.ts";

// In a file only, and too short for an address that others reach.
const KEY = "a-short-key";
const data = mkdtempSync(join(tmpdir(), "berth-secrets-"));
const key = join(data, "service.key");
const sealing = join(data, "secrets.key");
const env = { SERVICE_API_KEY_FILE: key, HOST: "0.0.0.0", ENGINE_INTERVAL: "0", DRAIN_SECONDS: "0" };
let berth: BerthProcess;
let deployment = "";
const api = new DeploymentApi(() => berth.url, KEY);
/** With a database on a server, the key is a setting. */
const noKeyFile = because(ON_POSTGRES, "is about the file of a key, and this one is a setting");
const secrets = (...args: string[]) => berthCommand(["secrets", ...args, "--data", data]);
const said = async () => (await api.answer(deployment)).said;
const patch = (body: object) =>
  fetch(`${berth.url}/v2/deployments/${deployment}`, {
    ...{ method: "PATCH", headers: { "x-api-key": KEY, "content-type": "application/json" } },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  writeFileSync(key, `${KEY}\n`, { mode: 0o600 });
  berth = await start({ data, env });
  ({ id: deployment } = await api.fromSource("keeper"));
  await patch({ secrets: [{ name: "SUFFIX", value: " and a secret" }] });
  const revision = await api.settled(deployment, await api.push(deployment, await tinyAgent("mine")));
  expect(revision).toMatchObject({ status: "DEPLOYED" });
});

afterAll(async () => {
  await berth.stop();
  rmSync(data, { recursive: true, force: true });
});

test("a key in a file opens the door, and that it is weak is told at start", async () => {
  expect(await said()).toBe("mine and a secret");
  expect(berth.output()).toContain("SERVICE_API_KEY has fewer than 16 characters");
  expect(berth.output()).not.toContain(KEY);
});

testUnless(noKeyFile)("a rotated key costs a restart, and nothing else", async () => {
  const before = readFileSync(sealing, "utf8");
  const rotated = await secrets("rotate");
  expect([rotated.code, rotated.stdout]).toEqual([0, ""]);
  const after = readFileSync(sealing, "utf8");
  expect(after).not.toBe(before);
  expect(rotated.stderr).toContain("Restart Berth");
  expect(rotated.stderr).not.toContain(after.trim());
  const doctor = await berthCommand(["doctor", "--only", "secrets", "--data", data]);
  expect(doctor.stdout).toContain("has not taken over yet");
  // What runs goes on, also with new secrets.
  expect((await patch({ secrets: [{ name: "SUFFIX", value: " and another" }] })).status).toBe(200);
  const { latest_revision_id } = await api.deployment(deployment);
  expect(await api.settled(deployment, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
  await berth.stop();
  berth = await start({ data, env });
  await until(
    "the instance to serve again",
    () => said().catch(() => ""),
    (text) => text === "mine and another",
  );
  const well = await berthCommand(["doctor", "--only", "secrets", "--data", data]);
  expect(well.stdout).toContain("opens the secrets");
});

test("a key that is there is not given up", async () => {
  const running = await secrets("forget", "--yes");
  expect([running.code, running.stderr]).toEqual([
    1,
    expect.stringContaining("a Berth with the key runs on this database"),
  ]);
});

testUnless(noKeyFile)(
  "without its key Berth starts again once somebody gave it up, and says what is missing",
  async () => {
    // As a power cut: what it deployed is still there, and nobody can talk to it any more.
    await berth.kill9();
    rmSync(sealing);
    const refused = await berthCommand(["start", "--data", data, "--port", "0"], { cwd: data, env });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("berth secrets forget")]);
    const unsure = await secrets("forget");
    expect([unsure.code, unsure.stderr]).toEqual([1, expect.stringContaining("--yes")]);
    const forgotten = await secrets("forget", "--yes");
    expect([forgotten.code, forgotten.stdout]).toEqual([0, expect.stringContaining("again: keeper\n")]);
    berth = await start({ data, env });
    const { active_revision_id } = await api.deployment(deployment);
    const told = await until<Revision>(
      "the revision to say so",
      () => api.revision(deployment, active_revision_id ?? ""),
      ({ status_message }) => status_message !== null,
    );
    expect(told.status_message).toContain("its secrets are lost");
    expect(await api.deployment(deployment)).toMatchObject({ secrets_lost: true });
    const again = await patch({ source_revision_config: { langgraph_config_path: "graph.json" } });
    expect([again.status, await again.json()]).toEqual([
      ...[400, { detail: expect.stringContaining("send SUFFIX again") }],
    ]);
    expect((await patch({ secrets: [{ name: "SUFFIX", value: " anew" }] })).status).toBe(200);
    const { latest_revision_id } = await api.deployment(deployment);
    expect(await api.settled(deployment, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    expect(await said()).toBe("mine anew");
    expect(await api.deployment(deployment)).not.toHaveProperty("secrets_lost");
  },
);
