import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, DEFAULT_WORKSPACE, Keys, openDatabase, SignIns } from "@berth/store";
import { SESSION_DAYS, SignInSessions } from "../../server/http/sessions.ts";
import { databaseUrl } from "../postgres/for-data.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function start() {
  const folder = mkdtempSync(join(tmpdir(), "berth-sessions-"));
  const time = { ms: Date.UTC(2026, 0, 1) };
  const clock = { now: () => time.ms };
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")), clock);
  opened.push(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const touched: string[] = [];
  const sessions = (serviceKey?: string, publicUrl = "http://127.0.0.1:8123", prefix = "") =>
    new SignInSessions({
      signIns: new SignIns(db, clock),
      touch: async (keyId) => void touched.push(keyId),
      serviceKey,
      publicUrl: () => publicUrl,
      prefix,
    });
  return { db, time, clock, touched, sessions };
}

const page = new Request("http://localhost/sign-in", { method: "POST" });
const workspaceId = DEFAULT_WORKSPACE.id;
const service = { keyId: "service", workspaceId, scope: "organization" as const };

/** A request with the cookie that a browser keeps of a `Set-Cookie`. */
const withCookie = (setCookie: string) =>
  new Request("http://localhost/", { headers: { cookie: `theme=dark; ${setCookie.split(";")[0]}; x=1` } });

async function storedText(db: Database): Promise<string> {
  return JSON.stringify(await db.read.selectFrom("sign_ins").selectAll().execute());
}

test("the cookie is out of reach for scripts and other sites, and plain http where there is TLS", async () => {
  const { db, sessions } = await start();
  const cookie = await sessions("secret").open(page, service);
  expect(cookie).toMatch(/^berth_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  expect(await sessions("secret", "https://berth.example").open(page, service)).toEndWith("; Secure");
  const token = /=([\w-]+)/.exec(cookie)?.[1] ?? "none";
  expect(await storedText(db)).not.toContain(token);
});

test("a sign-in lasts thirty days", async () => {
  const { time, sessions } = await start();
  const request = withCookie(await sessions("secret").open(page, service));
  time.ms += SESSION_DAYS * 86_400_000 - 1;
  expect(await sessions("secret").callerOf(request)).toEqual(service);
  time.ms += 1;
  expect(await sessions("secret").callerOf(request)).toBeUndefined();
});

test("one with the operator's key ends when that key changes or goes", async () => {
  const { sessions } = await start();
  const request = withCookie(await sessions("secret").open(page, service));
  expect(await sessions("another").callerOf(request)).toBeUndefined();
  expect(await sessions(undefined).callerOf(request)).toBeUndefined();
  expect(await sessions("secret").callerOf(request)).toEqual(service);
});

test("one with a stored key uses that key, and ends with it", async () => {
  const { db, clock, touched, sessions } = await start();
  const keys = new Keys(db, clock);
  const { key } = await keys.create(workspaceId, "laptop");
  const caller = { keyId: key.id, workspaceId, scope: "workspace" as const };
  const request = withCookie(await sessions("secret").open(page, caller));
  expect(await sessions("another").callerOf(request)).toEqual({ ...caller, keyName: "laptop" });
  expect(touched).toEqual([key.id]);
  await keys.delete(workspaceId, key.id);
  expect(await sessions("another").callerOf(request)).toBeUndefined();
});

test("signing out ends this sign-in and no other", async () => {
  const { sessions } = await start();
  const ours = sessions("secret");
  const here = withCookie(await ours.open(page, service));
  const there = withCookie(await ours.open(page, service));
  expect(await ours.close(here)).toStartWith("berth_session=; Path=/; Max-Age=0;");
  expect(await ours.callerOf(here)).toBeUndefined();
  expect(await ours.callerOf(there)).toEqual(service);
});

test("the cookie is for the path that we have at our host", async () => {
  const { sessions } = await start();
  const pathOf = async (ours: SignInSessions, url: string, headers: Record<string, string> = {}) =>
    /Path=([^;]+)/.exec(await ours.open(new Request(url, { method: "POST", headers }), service))?.[1];
  const mounted = sessions("secret", "http://127.0.0.1:8123", "/agents");
  expect(await pathOf(mounted, "http://host/agents/sign-in")).toBe("/agents");
  expect(await pathOf(mounted, "http://host/sign-in")).toBe("/");
  expect(await pathOf(mounted, "http://host/agents-too/sign-in")).toBe("/");
  // A proxy that takes the path away.
  const behind = sessions("secret", "https://host.example/berth");
  expect(await pathOf(behind, "http://host/sign-in", { origin: "https://host.example" })).toBe("/berth");
  expect(await pathOf(behind, "http://127.0.0.1:1/sign-in", { origin: "http://127.0.0.1:1" })).toBe("/");
});

test("signing out ends what the browser keeps of another path, too", async () => {
  const { sessions } = await start();
  const ours = sessions("secret");
  const [one, two] = [await ours.open(page, service), await ours.open(page, service)];
  const cookie = [one, two].map((text) => text.split(";")[0]).join("; ");
  await ours.close(new Request("http://localhost/", { headers: { cookie } }));
  expect(await ours.callerOf(withCookie(one))).toBeUndefined();
  expect(await ours.callerOf(withCookie(two))).toBeUndefined();
});

test("a request without our cookie asks nobody", async () => {
  const { sessions } = await start();
  const ours = sessions("secret");
  for (const cookie of ["", "berth_session=", "xberth_session=abc", "a=b"])
    expect(ours.callerOf(new Request("http://localhost/", { headers: { cookie } }))).toBeUndefined();
  const forged = new Request("http://localhost/", { headers: { cookie: "berth_session=made-up" } });
  expect(await ours.callerOf(forged)).toBeUndefined();
});
