import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_WORKSPACE, openDatabase, openSecretBox, Subscriptions, systemClock } from "@berth/store";
import { examine } from "../../../server/doctor/doctor.ts";
import type { DoctorFinding } from "../../../server/doctor/finding.ts";
import type { Patient } from "../../../server/doctor/patient.ts";
import { readSettings, type Texts } from "../../../server/settings/config.ts";

let folder: string;
/** Something on this machine that is no Berth, and something that says that it is one. */
const stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
const berth = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "berth-doctor-"));
  const db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: null });
  await new Subscriptions(db, systemClock, box).create(DEFAULT_WORKSPACE.id, {
    ...{ session_id: null, url: "https://example.com/", severity_threshold: 3 },
    ...{ event_types: ["issue.created"], headers: {} },
  });
  await db.close();
});
afterAll(async () => {
  await Promise.all([stranger.stop(true), berth.stop(true)]);
  rmSync(folder, { recursive: true, force: true });
});

/** What is found out about one thing, with these settings. */
async function finding(
  check: string,
  texts: Texts = {},
  more: Partial<Patient> = {},
): Promise<DoctorFinding> {
  const settings = readSettings({ DATA_DIR: folder, PORT: "0", ...texts }, {}, folder, { isTerminal: false });
  const patient = { settings, environment: { PATH: process.env.PATH }, running: null, ...more };
  const { findings } = await examine({ faultsOf: async () => [], ...patient }, [check]);
  const [one] = findings;
  if (!one) throw new Error(`there is no check ${check}`);
  return one;
}

type Row = [
  check: string,
  status: DoctorFinding["status"],
  says: string,
  texts: Texts,
  more?: Partial<Patient>,
];

const ROWS: Row[] = [
  ["program", "ok", `Bun ${Bun.version}`, {}],
  ["folder", "ok", "can be written", {}],
  ["folder", "ok", "is not there yet", { DATA_DIR: join(tmpdir(), "berth-doctor-nothing") }],
  ["folder", "failure", "may not write", { DATA_DIR: "/proc/self" }],
  ["disk", "ok", "free", {}],
  ["database", "ok", "1 database is well", {}],
  ["database", "failure", "malformed", {}, { faultsOf: async () => ["malformed"] }],
  ["migrations", "ok", "are done", {}],
  ["secrets", "ok", "opens the secrets", {}],
  ["secrets", "failure", "is not the key", { SECRETS_KEY: "another one than it was sealed with" }],
  ["clock", "ok", new Date().toISOString().slice(0, 10), {}],
  ["port", "ok", "any free one", {}],
  ["port", "failure", "something else listens", { PORT: String(stranger.port) }],
  ["port", "ok", "a Berth answers", { PORT: String(berth.port) }],
  ["public_url", "warning", "nobody else gets here", { HOST: "0.0.0.0" }],
  [
    ...(["public_url", "warning", "no Berth answers"] as const),
    { PORT: String(berth.port), PUBLIC_URL: `http://127.0.0.1:${stranger.port}` },
  ],
  ["public_url", "ok", String(berth.port), { PORT: String(berth.port) }],
  ["keys", "ok", "only this machine", {}],
  ["keys", "ok", "SERVICE_API_KEY", { SERVICE_API_KEY: "a-key" }],
  ["keys", "warning", "the example", { SERVICE_API_KEY: "choose-one" }],
  ["keys", "warning", "fewer than 16", { SERVICE_API_KEY: "a-key", HOST: "0.0.0.0" }],
  ["keys", "warning", "fewer than 16", { SERVICE_API_KEY: "a-key", PUBLIC_URL: "https://berth.example" }],
  ["keys", "ok", "SERVICE_API_KEY", { SERVICE_API_KEY: "a-key-of-sixteen", HOST: "0.0.0.0" }],
  ["keys", "failure", "more than this machine", { HOST: "0.0.0.0" }],
  ["tools", "ok", "", {}],
  ["orphans", "ok", "no process and no folder", {}],
  ["models", "warning", "offline model", {}],
  ["models", "ok", "OPENAI_API_KEY", {}, { environment: { OPENAI_API_KEY: "sk" } }],
  ["models", "failure", "ANTHROPIC_API_KEY is not set", { ENGINE_MODEL: "anthropic:m" }],
  ["webhook_allow", "ok", "public addresses only", {}],
  ["webhook_allow", "ok", "10.0.0.0/8", { WEBHOOK_ALLOW: "10.0.0.0/8" }],
  ["webhook_allow", "warning", "every private network", { WEBHOOK_ALLOW: "0.0.0.0/0" }],
  ["webhook_allow", "warning", "changes nothing", { WEBHOOK_ALLOW: "169.254.0.0/16,8.8.8.8" }],
];

test.each(ROWS)("%s: %s %s", async (check, status, says, texts, more = {}) => {
  const found = await finding(check, texts, more);
  expect(found).toMatchObject({ check, status, message: expect.stringContaining(says) });
  // Whatever is not well comes with what to do about it.
  expect(found.advice === null).toBe(status === "ok");
});

test.each([
  ["Docker version 28.0.1, build 068a01e", "systemctl start docker"],
  ["podman version 5.4.2", "podman info"],
  ["nerdctl version 2.1.2", "systemctl start containerd"],
])("the advice is for the engine that the command is: %s", async (version, advice) => {
  const bin = mkdtempSync(join(folder, "engine-"));
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo '${version}' && exit 0\necho 'it is down' >&2\nexit 1\n`;
  writeFileSync(join(bin, "docker"), script, { mode: 0o755 });
  const environment = { PATH: `${bin}:/bin` };
  const found = await finding("tools", { CONTAINER_ENGINE: "docker" }, { environment });
  expect(found).toMatchObject({ status: "warning", advice: expect.stringContaining(advice) });
});

test("a container engine whose daemon is down is told", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // What Docker's own command says then.
  const words =
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
  writeFileSync(join(bin, "docker"), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
  const environment = { PATH: `${bin}:/bin` };
  const found = await finding("tools", { CONTAINER_ENGINE: "docker" }, { environment });
  expect(found).toMatchObject({ status: "warning", message: expect.stringContaining(words) });
  expect(found.advice).toContain("start Docker's daemon");
});

test("a key file that others may read is told", async () => {
  chmodSync(join(folder, "secrets.key"), 0o644);
  expect(await finding("secrets")).toMatchObject({
    status: "warning",
    advice: expect.stringContaining("chmod"),
  });
  chmodSync(join(folder, "secrets.key"), 0o600);
});

test("folders that nothing needs are told once they are old", async () => {
  const left = join(folder, "builds", Bun.randomUUIDv7());
  mkdirSync(left, { recursive: true });
  expect(await finding("orphans")).toMatchObject({ status: "ok" });
  utimesSync(left, new Date(0), new Date(0));
  expect(await finding("orphans")).toMatchObject({
    status: "warning",
    message: expect.stringContaining(left),
  });
});

test("a database that is none is a failure of that check, and no more than that", async () => {
  const broken = join(folder, "broken");
  mkdirSync(broken, { mode: 0o700 });
  writeFileSync(
    join(broken, "berth.db"),
    "this is no database, and long enough to be looked at as one".repeat(20),
    { mode: 0o600 },
  );
  const settings = readSettings({ DATA_DIR: broken, PORT: "0" }, {}, folder, { isTerminal: false });
  const faultsOf = async () => ["file is not a database"];
  const { status, findings } = await examine({ settings, environment: {}, running: null, faultsOf });
  expect(status).toBe("failure");
  const failed = findings.filter((one) => one.status === "failure").map(({ check }) => check);
  expect(failed).toEqual(["database", "migrations"]);
});
