import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Session } from "@berth/store";
import { ON_POSTGRES } from "../../postgres/for-data.ts";
import { eventually } from "../runs/runs-rig.ts";
import { openEngineRig } from "./engine-rig.ts";

let rig: Awaited<ReturnType<typeof openEngineRig>>;
let session: Session;

beforeEach(async () => {
  rig = await openEngineRig();
  session = await rig.sessions.ensure(rig.workspaceId, "weather-agent");
});
afterEach(() => rig.close());

const scanned = () => ({ workspaceId: rig.workspaceId, sessionId: session.id });
const issues = () => rig.issues.list(rig.workspaceId, {}, { limit: 50, offset: 0 });
const events = async () => {
  const page = { limit: 100, offset: 0 };
  return (await rig.outbox.list(rig.workspaceId, {}, page)).map(({ type, request_id }) => ({
    type,
    request_id,
  }));
};
const subscribe = (event_types: string[]) =>
  rig.subscriptions.create(rig.workspaceId, {
    url: "https://hooks.example/x",
    severity_threshold: 3,
    event_types,
  });

describe("a scan", () => {
  test("makes one issue of each way to fail, with the right traces", async () => {
    await subscribe(["issue.created", "issue.trace.added"]);
    const { engine } = await rig.openEngine();
    const failed = { order: [] as string[], city: [] as string[] };
    for (let i = 0; i < 40; i++) {
      if (i % 8 === 0)
        failed.order.push(await rig.leave(session.id, { tool: "orders", message: `no order ${i}` }));
      else if (i % 8 === 4) failed.city.push(await rig.leave(session.id, `no weather for "city ${i}"`));
      else await rig.leave(session.id);
    }
    const [run, ...more] = await engine.scan(scanned());
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      status: "success",
      scanned: 40,
      findings: 10,
      opened: 2,
      linked: 10,
      error_message: null,
    });
    expect(run?.run_id).toMatch(/^[0-9a-f-]{36}$/);
    const opened = await issues();
    expect(opened.map(({ name, trace_count, severity }) => ({ name, trace_count, severity }))).toEqual(
      expect.arrayContaining([
        { name: "The tool orders fails: no order <n>", trace_count: 5, severity: 3 },
        { name: "The tool weather fails: no weather for <value>", trace_count: 5, severity: 3 },
      ]),
    );
    for (const issue of opened) {
      const linked = await rig.issues.traces(rig.workspaceId, issue.id, { limit: 50, offset: 0 });
      const wanted = issue.name.includes("orders") ? failed.order : failed.city;
      expect(linked.map(({ trace_id }) => trace_id).sort()).toEqual(wanted.sort());
      expect(issue.description).toContain("Why these are one issue: each shows a failure of the same tool");
    }
    const sent = Map.groupBy(await events(), ({ request_id }) => request_id);
    for (const of of sent.values()) {
      expect(of.filter(({ type }) => type === "issue.created")).toHaveLength(1);
      expect(of.filter(({ type }) => type === "issue.trace.added")).toHaveLength(5);
    }
    expect(sent.size).toBe(2);
  });

  test("opens nothing before enough traces show the same, over however many scans", async () => {
    const { engine } = await rig.openEngine();
    for (const count of [0, 0, 1, 1]) {
      await rig.leave(session.id, "boom");
      await engine.scan(scanned());
      expect(await issues()).toHaveLength(count);
    }
    const [issue] = await issues();
    expect(issue?.trace_count).toBe(4);
  });

  test("of traces that were looked at before finds nothing new", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 3; i++) await rig.leave(session.id, "boom");
    await engine.scan(scanned());
    const [again] = await engine.scan(scanned());
    expect(again).toMatchObject({ status: "success", scanned: 0, opened: 0 });
    expect(await engine.scan({ workspaceId: rig.workspaceId })).toEqual([]);
  });

  test("an issue says what it is now, and is less severe the more runs go well", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 3; i++)
      await rig.leave(session.id, { tool: "orders", message: `no order ${i}`, dies: true });
    await engine.scan(scanned());
    const [before] = await issues();
    expect(before).toMatchObject({
      severity: 1,
      severity_reason: expect.stringMatching(/^3 of 3 runs affected, rated as 3 of 20/),
    });
    for (let i = 0; i < 97; i++) await rig.leave(session.id);
    await engine.scan(scanned());
    const [now] = await issues();
    expect(now).toMatchObject({
      severity: 2,
      severity_reason: "3 of 100 runs affected (3 %), runs died of it",
      updated_at: rig.clock.now(),
    });
    expect(now?.description).toContain(
      "Seen in 3 runs (3 of the project's 100 since then, 3 %), on 3 threads",
    );
    expect(now?.description).toEndWith("Severity 2 (medium): 3 of 100 runs affected (3 %), runs died of it.");
    const last = await rig.leave(session.id, { tool: "orders", message: "no order 4", dies: true });
    await engine.scan(scanned());
    const { description = "" } = (await issues())[0] ?? {};
    expect(description).toContain("Seen in 4 runs (4 of the project's 101 since then, 4 %)");
    expect(description).toContain(`The newest is in the trace ${last}, a typical one in `);
  });

  test("an issue that ends its runs is more severe than one after which they go on", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 3; i++) {
      await rig.leave(session.id, { tool: "orders", message: "no order", dies: true });
      await rig.leave(session.id, { tool: "weather", message: "no weather" });
    }
    await engine.scan(scanned());
    const severities = Object.fromEntries((await issues()).map(({ name, severity }) => [name, severity]));
    expect(severities).toEqual({
      "The tool orders fails: no order": 1,
      "The tool weather fails: no weather": 3,
    });
    expect((await issues()).map(({ severity_reason }) => severity_reason).sort()).toEqual([
      "3 of 5 runs affected, rated as 3 of 20, the run goes on after it",
      "3 of 6 runs affected, rated as 3 of 20, runs died of it",
    ]);
  });

  test("takes colours and overrides for no part of a message, nor shows them", async () => {
    const { engine } = await rig.openEngine();
    for (const words of ["\u001b[31mno till", "no \u202etill", "no till\u200b"])
      await rig.leave(session.id, words);
    await engine.scan(scanned());
    expect((await issues()).map(({ name, trace_count }) => [name, trace_count])).toEqual([
      ["The tool weather fails: no till", 3],
    ]);
  });

  test("reads several batches", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 450; i++) await rig.leave(session.id, i % 3 === 0 ? `boom ${i}` : undefined);
    const [run] = await engine.scan(scanned());
    expect(run).toMatchObject({ status: "success", scanned: 450, findings: 150, opened: 1 });
    expect((await issues())[0]?.trace_count).toBe(150);
  });

  test("first lets runs write down what they did", async () => {
    const { engine } = await rig.openEngine({ flush: async () => void (await rig.leave(session.id)) });
    expect((await engine.scan(scanned()))[0]).toMatchObject({ scanned: 1 });
  });

  test("of a project that is not the caller's is refused", async () => {
    const { engine } = await rig.openEngine();
    const foreign = { workspaceId: Bun.randomUUIDv7(), sessionId: session.id };
    expect(engine.scan(foreign)).rejects.toThrow("not found");
  });
});

describe("the timer", () => {
  test("scans what has new traces, at its pace", async () => {
    const { engine } = await rig.openEngine();
    await rig.leave(session.id, "boom");
    expect(await engine.once(rig.clock.now())).toBe(0);
    rig.clock.advance(60_000);
    expect(await engine.once(rig.clock.now())).toBe(1);
    rig.clock.advance(60_000);
    expect(await engine.once(rig.clock.now())).toBe(0);
  });

  test("is off at 0", async () => {
    const { engine } = await rig.openEngine({ intervalMs: 0 });
    await rig.leave(session.id, "boom");
    rig.clock.advance(3_600_000);
    expect(await engine.once(rig.clock.now())).toBe(0);
  });
});

describe("a scan that fails", () => {
  const failing = () => {
    throw new TypeError("cannot read this");
  };

  test("is told, and has looked at everything else", async () => {
    await subscribe(["issue.agent_run.failed"]);
    let calls = 0;
    const { engine } = await rig.openEngine({ detect: () => (++calls === 2 ? failing() : []) });
    for (let i = 0; i < 3; i++) await rig.leave(session.id);
    const [run] = await engine.scan(scanned());
    expect(run).toMatchObject({ status: "error", scanned: 3, unreadable: 1 });
    expect(run?.error_message).toMatch(
      /^1 of the traces could not be looked at; the first: trace [0-9a-f-]{36}: cannot read this$/,
    );
    expect((await events()).map(({ type }) => type)).toEqual(["issue.agent_run.failed"]);
    expect((await engine.scan(scanned()))[0]).toMatchObject({ status: "success", scanned: 0 });
  });

  test("because it takes too long is told as such", async () => {
    await subscribe(["issue.agent_run.failed"]);
    const { engine } = await rig.openEngine({
      timeoutMs: 300,
      detect: () => {
        Bun.sleepSync(120);
        return [];
      },
    });
    for (let i = 0; i < 20; i++) await rig.leave(session.id);
    const [run] = await engine.scan(scanned());
    expect(run).toMatchObject({ status: "timeout", error_message: "Run exceeded its limit of 0.3 s" });
    expect((await events()).map(({ type }) => type)).toEqual(["issue.agent_run.failed"]);
  });
});

describe("a trace that cannot be read", () => {
  const columns = [
    ...["metadata", "tags", "start_time"].map((column) => `update traces set ${column} = ? where id = ?`),
    ...["metadata", "tags", "start_time"].map(
      (column) => `update spans set ${column} = ? where trace_id = ?`,
    ),
    "update span_packs set spans = ? where trace_id = ?",
    "update trace_feedback set value = ? where trace_id = ?",
  ];
  const noJson = ["{", "null", '"x"'];

  test("is left out and counted, in every column that is parsed, and the others are looked at", async () => {
    const { engine } = await rig.openEngine();
    let damaged = 0;
    for (const sql of columns)
      for (const text of noJson) {
        // No text can be there on Postgres.
        if (ON_POSTGRES && sql.includes("start_time")) continue;
        // JSON that is no object is no damage to a feedback's value.
        if (sql.includes("trace_feedback") && text !== "{") continue;
        const id = await rig.leave(session.id, "gone", { packed: sql.includes("span_packs") });
        await rig.traces.feedback(rig.workspaceId, [{ trace_id: id, key: "k", score: 1, value: "fine" }]);
        await rig.damage(sql, text, id);
        damaged += 1;
      }
    for (let i = 0; i < 3; i++) await rig.leave(session.id, `boom ${i}`);
    const [run] = await engine.scan(scanned());
    expect(run).toMatchObject({ status: "success", scanned: damaged + 3, unreadable: damaged, opened: 1 });
    expect((await issues()).map(({ trace_count }) => trace_count)).toEqual([3]);
    expect(rig.log.filter(([event]) => event === "engine.unreadable")).toHaveLength(damaged);
    expect((await engine.scan(scanned()))[0]).toMatchObject({ status: "success", scanned: 0, unreadable: 0 });
  });

  test("does not stop a scan that finds nothing else, however many there are", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 250; i++) await rig.leave(session.id, "boom");
    await rig.damage("update traces set metadata = '{' where session_id = ?", session.id);
    expect((await engine.scan(scanned()))[0]).toMatchObject({
      status: "success",
      scanned: 250,
      unreadable: 250,
    });
    for (let i = 0; i < 3; i++) await rig.leave(session.id, "boom");
    expect((await engine.scan(scanned()))[0]).toMatchObject({ scanned: 3, unreadable: 0, opened: 1 });
  });

  test("is not in the way of what is said of revisions", async () => {
    const { engine } = await rig.openEngine();
    for (let i = 0; i < 3; i++) await rig.leave(session.id, "boom");
    await engine.scan(scanned());
    await rig.damage("update traces set metadata = '{' where session_id = ?", session.id);
    const [issue] = await issues();
    expect(await rig.issues.byRevision(rig.workspaceId, issue?.id ?? "")).toMatchObject([
      { revision_id: null, traces: 3, runs: 3 },
    ]);
    await rig.issues.close(rig.workspaceId, issue?.id ?? "", "fixed");
    await rig.leave(session.id, "boom");
    expect((await engine.scan(scanned()))[0]).toMatchObject({ reopened: 1 });
  });
});

describe("words from a model", () => {
  const three = async () => {
    for (let i = 0; i < 3; i++) await rig.leave(session.id, `no city ${i}`);
  };

  test("take the place of the templates", async () => {
    const prompts: string[] = [];
    const ask = async (prompt: string) => {
      prompts.push(prompt);
      return 'Sure: {"name": "Cities are unknown", "description": "The tool does not know them.", "cause": "An old list."}';
    };
    const { engine } = await rig.openEngine({ ask });
    await three();
    await engine.scan(scanned());
    const [issue] = await issues();
    expect(issue).toMatchObject({ name: "Cities are unknown", cause: "An old list.", severity: 3 });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).not.toContain("no city 1");
  });

  test.each<[string, () => Promise<string>]>([
    ["fails", () => Promise.reject(new Error("529"))],
    ["says nothing of use", async () => "I cannot help with that."],
    ["leaves something out", async () => '{"name": "x"}'],
  ])("are the templates' where the model %s", async (_, ask) => {
    const { engine } = await rig.openEngine({ ask });
    await three();
    expect((await engine.scan(scanned()))[0]).toMatchObject({ status: "success", opened: 1 });
    expect((await issues())[0]?.name).toBe("The tool weather fails: no city <n>");
    expect(rig.log.some(([event]) => event === "engine.model_failed")).toBe(true);
  });
});

test("a scan that ends while its lease is renewed is not taken for lost", async () => {
  const { engine } = await rig.openEngine();
  const leases = engine.jobs.find(({ name }) => name === "engine.leases");
  let over = false;
  const renewing = (async () => {
    while (!over) {
      await leases?.once(rig.clock.now());
      await new Promise<void>((turn) => setImmediate(turn));
    }
  })();
  const counts: (number | undefined)[] = [];
  for (let i = 0; i < 20; i++) {
    await rig.leave(session.id, "boom");
    counts.push((await engine.scan(scanned()))[0]?.scanned);
  }
  over = true;
  await renewing;
  expect(counts).toEqual(Array(20).fill(1));
});

describe("several processes", () => {
  test("never scan the same traces at the same time", async () => {
    const seen: string[] = [];
    const detect = ({ trace }: { trace: { id: string } }) => {
      seen.push(trace.id);
      return [];
    };
    const [{ engine: one }, { engine: two }] = [
      await rig.openEngine({ detect }),
      await rig.openEngine({ detect }),
    ];
    for (let i = 0; i < 250; i++) await rig.leave(session.id);
    const runs = await Promise.all([one.scan(scanned()), two.scan(scanned()), one.scan(scanned())]);
    expect(runs.flat().map(({ status }) => status)).toEqual(["success", "success", "success"]);
    expect(seen).toHaveLength(250);
    expect(new Set(seen).size).toBe(250);
  });

  test("take over what a stopped one left", async () => {
    const { engine: one } = await rig.openEngine({
      detect: () => {
        Bun.sleepSync(2);
        return [];
      },
    });
    for (let i = 0; i < 250; i++) await rig.leave(session.id);
    const scan = one.scan(scanned());
    await eventually("it scans", async () =>
      (await one.runs.list(rig.workspaceId, {}, { limit: 1, offset: 0 })).some(({ run_id }) => run_id),
    );
    await one.stop(0);
    await scan;
    const { engine: two } = await rig.openEngine();
    expect(await two.resume()).toBe(1);
    const [run, ...more] = await two.runs.list(rig.workspaceId, {}, { limit: 2, offset: 0 });
    expect([run?.status, run?.scanned, more]).toEqual(["success", 250, []]);
    expect((await rig.traces.unscanned(session.id, 1)).length).toBe(0);
  });
});

test("nothing of it is in the project's database but its log of scans", async () => {
  const { engine } = await rig.openEngine();
  await rig.leave(session.id);
  await engine.scan(scanned());
  const count = async (table: "threads" | "runs" | "assistants" | "traces") =>
    (await rig.db.read.selectFrom(table).selectAll().execute()).length;
  expect(await count("threads")).toBe(0);
  expect(await count("runs")).toBe(0);
  expect(await count("assistants")).toBe(0);
  expect(await count("traces")).toBe(1);
});
