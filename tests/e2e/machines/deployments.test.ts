import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DEPLOYMENT_MARK, processesWith } from "../../../server/machine/process-table.ts";
import { withoutPostgres } from "../../postgres/server.ts";
import { StorageServer } from "../../server/backup/storage-server.ts";
import { describeUnless } from "../../skips.ts";
import { until } from "../condition.ts";
import { tinyAgent } from "../tiny-agent.ts";
import { KEY, leaderOf, TwoBerths } from "./two-berths.ts";

describeUnless(withoutPostgres())("a deployment of two machines on one database", () => {
  let berths: TwoBerths;
  let id: string;

  beforeAll(async () => {
    berths = await TwoBerths.start();
  });
  afterAll(async () => {
    await berths.stop();
    await until(
      "nothing of it to be left",
      async () => running(),
      (pids) => pids.length === 0,
    );
  });

  const running = () =>
    processesWith(DEPLOYMENT_MARK)
      .filter(({ marks }) => marks[DEPLOYMENT_MARK] === id)
      .map(({ pid }) => pid);

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${berths.other.url}/d/${id}${path}`, {
      ...init,
      headers: { "x-api-key": KEY, "content-type": "application/json", ...init.headers },
    });

  test("is uploaded at one and built by the other, which leads", async () => {
    const { api, leader, other } = berths;
    ({ id } = await api.fromSource("shared"));
    const revision = await api.push(id, await tinyAgent("one", 300));
    expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED", status_message: null });
    expect(existsSync(join(leader.data, "builds", revision, "source", "graph.json"))).toBe(true);
    expect(existsSync(join(other.data, "builds"))).toBe(false);
    expect(await berths.query("select number from upload_chunks")).toHaveLength(1);
  });

  test("answers through the one that does not run it", async () => {
    expect((await berths.api.answer(id)).said).toBe("one");
    expect((await berths.apiOfLeader.answer(id)).said).toBe("one");
  });

  test("streams through it as it goes", async () => {
    const body = JSON.stringify({ assistant_id: "agent", input: { said: "" }, stream_mode: ["values"] });
    const response = await ask("/runs/stream", { method: "POST", body });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) pieces.push(decoder.decode(chunk));
    // Not all of it at the end: its beginning came while the graph was at work.
    const pieceWith = (text: string) => pieces.findIndex((piece) => piece.includes(text));
    expect(pieceWith("event: metadata")).toBeGreaterThanOrEqual(0);
    expect(pieceWith('"said":"one"')).toBeGreaterThan(pieceWith("event: metadata"));
  });

  test("takes large bodies through it, and says why it refuses larger ones", async () => {
    const body = (bytes: number) =>
      JSON.stringify({ assistant_id: "agent", input: { said: "x".repeat(bytes) } });
    const large = await ask("/runs/wait", { method: "POST", body: body(1 << 20) });
    expect([large.status, (await large.json()).said]).toEqual([200, "one"]);
    const larger = await ask("/runs/wait", { method: "POST", body: body(40 << 20) });
    expect(larger.status).toBe(413);
  });

  test("has its WebSockets through it", async () => {
    const { thread_id } = await (await ask("/threads", { method: "POST", body: "{}" })).json();
    const url = `${berths.other.url.replace("http", "ws")}/d/${id}/threads/${thread_id}/stream/events`;
    const socket = new WebSocket(url, { headers: { "x-api-key": KEY } } as unknown as string[]);
    const reply = await new Promise<string>((resolve, reject) => {
      socket.onopen = () => socket.send(JSON.stringify({ id: 7, method: "no.such.command" }));
      socket.onmessage = ({ data }) => resolve(String(data));
      socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
    });
    expect(JSON.parse(reply)).toMatchObject({ id: 7 });
    socket.close();
  });

  test("is told that a caller went away", async () => {
    const going = new AbortController();
    const { thread_id } = await (await ask("/threads", { method: "POST", body: "{}" })).json();
    const body = JSON.stringify({ assistant_id: "agent", input: {}, on_disconnect: "cancel" });
    const init = { method: "POST", body, signal: going.signal };
    const asked = await ask(`/threads/${thread_id}/runs/stream`, init);
    const reading = asked.text().catch(() => undefined);
    going.abort();
    await reading;
    await until(
      "the run to be cancelled",
      async () => (await ask(`/threads/${thread_id}/runs`)).json(),
      ([run]: { status: string }[]) => run?.status === "interrupted",
    );
  });

  test("takes nobody who has no key, and no word of who passes on what", async () => {
    const none = await fetch(`${berths.other.url}/d/${id}/assistants/search`, { method: "POST", body: "{}" });
    expect(none.status).toBe(401);
    const forged = { "x-berth-hop": `${Date.now()}.MTI3LjAuMC4x.AAAA` };
    for (const berth of [berths.other, berths.leader]) {
      const path = `${berth.url}/d/${id}/assistants/search`;
      const refused = await fetch(path, { method: "POST", body: "{}", headers: forged });
      expect(refused.status).toBe(401);
    }
    // It would go round: whoever says so himself is not passed on.
    const round = await ask("/assistants/search", { method: "POST", body: "{}", headers: forged });
    expect([round.status, round.headers.get("x-berth-moved")]).toEqual([503, "1"]);
  });

  test("has a database and a role of its own, which reaches nothing else", async () => {
    const name = `berth_${id.replaceAll("-", "")}`;
    expect(
      await berths.query(`select rolsuper, rolcreatedb from pg_roles where rolname = '${name}'`),
    ).toEqual([{ rolsuper: false, rolcreatedb: false }]);
    const [{ size = 0 } = {}] = await berths.query(
      `select count(*)::int as size from pg_stat_activity where datname = '${name}' and usename = '${name}'`,
    );
    expect(size).toBeGreaterThan(0);
    const rights = `has_database_privilege('${name}', current_database(), 'connect') as own, has_database_privilege('${name}', '${name}', 'connect') as theirs`;
    expect(await berths.query(`select ${rights}`)).toEqual([{ own: false, theirs: true }]);
    const [row] = await berths.query("select secrets from deployment_databases");
    expect(row?.secrets).toStartWith("v1:");
  });

  test("is built and served by the other when the leader is killed", async () => {
    const { database, other, leader, api } = berths;
    const thread = await (await ask("/threads", { method: "POST", body: "{}" })).json();
    await leader.kill9();
    await until(
      "the other to lead",
      () => leaderOf(database),
      (address) => address === other.url,
    );
    const answered = await until(
      "the deployment to answer again",
      () => api.answer(id).catch((error) => ({ said: String(error), pid: 0 })),
      ({ said }) => said === "one",
    );
    expect(running()).toContain(answered.pid);
    expect(readdirSync(join(other.data, "builds"))).toHaveLength(1);
    // What it kept is still there.
    expect((await ask(`/threads/${thread.thread_id}`)).status).toBe(200);
    await until(
      "only one process to be left",
      async () => running(),
      (pids) => pids.length === 1,
    );
  });

  test("is reached at the one that comes back, which does not lead", async () => {
    berths.leader = await berths.leader.restartOnSameData();
    expect((await berths.apiOfLeader.answer(id)).said).toBe("one");
    [berths.leader, berths.other] = [berths.other, berths.leader];
    expect(await leaderOf(berths.database)).toBe(berths.leader.url);
  });

  test("leaves no database and no role when it is deleted", async () => {
    const name = `berth_${id.replaceAll("-", "")}`;
    await berths.api.delete(id);
    await until(
      "the database to be gone",
      () => berths.query(`select datname from pg_database where datname = '${name}'`),
      (rows) => rows.length === 0,
    );
    await until(
      "the role to be gone",
      () => berths.query(`select rolname from pg_roles where rolname = '${name}'`),
      (rows) => rows.length === 0,
    );
    expect((await ask("/ok")).status).toBe(404);
  });
});

describeUnless(withoutPostgres())("a leader that stands still for longer than its lease", () => {
  let berths: TwoBerths;
  let storage: StorageServer;
  let id: string;

  beforeAll(async () => {
    storage = new StorageServer();
    berths = await TwoBerths.start({ FILES_URL: "s3://files/berth", ...storage.env });
  });
  afterAll(async () => {
    await berths.stop();
    await storage.stop();
  });

  test("has built what was uploaded at the other, from S3-like storage", async () => {
    const { api, other } = berths;
    ({ id } = await api.fromSource("stored"));
    const revision = await api.push(id, await tinyAgent("stored"));
    expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
    expect([...storage.objects.keys()]).toEqual([expect.stringMatching(/^files\/berth\/uploads\//)]);
    expect(await berths.query("select number from upload_chunks")).toEqual([]);
    // Another machine than the one that took it is to find it there.
    rmSync(join(other.data, "uploads"), { recursive: true });
  });

  test("is not waited for, and ends what it ran when it goes on", async () => {
    const { api, apiOfLeader, leader, other, database } = berths;
    const before = await api.answer(id);
    process.kill(leader.pid, "SIGSTOP");
    try {
      await until(
        "the other to lead",
        () => leaderOf(database),
        (address) => address === other.url,
      );
      await until(
        "the deployment to answer again",
        () => api.answer(id).catch((error) => ({ said: String(error), pid: 0 })),
        ({ said, pid }) => said === "stored" && pid !== before.pid,
      );
    } finally {
      process.kill(leader.pid, "SIGCONT");
    }
    const answered = await until(
      "the one that stood still to pass requests on",
      () => apiOfLeader.answer(id).catch((error) => ({ said: String(error), pid: 0 })),
      ({ said }) => said === "stored",
    );
    expect(answered.pid).not.toBe(before.pid);
    const running = () =>
      processesWith(DEPLOYMENT_MARK)
        .filter(({ marks }) => marks[DEPLOYMENT_MARK] === id)
        .map(({ pid }) => pid);
    await until(
      "only one process to be left",
      async () => running(),
      (pids) => pids.length === 1,
    );
    expect(running()).toEqual([answered.pid]);
    expect(await leaderOf(database)).toBe(other.url);
  });
});
