import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { GroupingRules, type Session } from "@berth/store";
import { openEngineRig } from "./engine-rig.ts";

let rig: Awaited<ReturnType<typeof openEngineRig>>;
let session: Session;

beforeEach(async () => {
  rig = await openEngineRig();
  session = await rig.sessions.ensure(rig.workspaceId, "shop");
});
afterEach(() => rig.close());

const at = (place: string, line = 12) => ({
  error_stack: `    at ${place} (/srv/shop/src/orders.ts:${line}:9)\n    at run (/srv/node_modules/langgraph/dist/run.js:1:2)`,
});
const issues = () => rig.issues.list(rig.workspaceId, {}, { limit: 50, offset: 0 });
const names = async () => (await issues()).map(({ name }) => name).sort();
const fail = (message: string, metadata: Record<string, unknown> = {}) =>
  rig.leave(session.id, { tool: "orders", message, metadata });

async function scan(minTraces = 1) {
  const { engine } = await rig.openEngine({ minTraces });
  return engine.scan({ workspaceId: rig.workspaceId, sessionId: session.id });
}

describe("failures", () => {
  test("of one place that differ in values only are one issue, also over several scans", async () => {
    await fail("Customer Anna Schmidt not found");
    await scan();
    await fail("Customer José O'Brien not found");
    await scan();
    await fail("Customer bob not found");
    await fail("Missing required field: email");
    await fail("Missing required field: name");
    await scan();
    expect(
      (await issues()).map(({ trace_count, fingerprints }) => [fingerprints[0]?.message, trace_count]).sort(),
    ).toEqual([
      ["Customer <value> not found", 3],
      ["Missing required field: email", 1],
      ["Missing required field: name", 1],
    ]);
  });

  test("of two places are two issues, and lines of one place may move", async () => {
    await fail("no stock", at("reserve"));
    await fail("no stock", at("reserve", 40));
    await fail("no stock", at("ship"));
    await scan();
    const found = await issues();
    expect(
      found.map(({ trace_count, fingerprints }) => [trace_count, fingerprints[0]?.thrown_at]).sort(),
    ).toEqual([
      [1, "ship (src/orders.ts)"],
      [2, "reserve (src/orders.ts)"],
    ]);
  });

  test("are told apart by code, status and cause", async () => {
    await fail("request failed", { error_status: 429 });
    await fail("request failed", { error_status: 500 });
    await fail("request failed", { error_code: "ECONNRESET" });
    await fail("request failed", {
      error_cause: [{ type: "Error", message: "getaddrinfo ENOTFOUND api.example" }],
    });
    await scan();
    expect(await names()).toEqual([
      ...Array.from({ length: 3 }, () => "The tool orders fails: request failed"),
      "The tool orders fails: request failed ← getaddrinfo ENOTFOUND api.example",
    ]);
  });

  test("to which the project gave one fingerprint are one issue, whatever they say", async () => {
    await fail("one thing", { error_fingerprint: "billing" });
    await fail("quite another", { error_fingerprint: "billing", ...at("pay") });
    await fail("quite another");
    await scan();
    expect((await issues()).map(({ trace_count }) => trace_count).sort()).toEqual([1, 2]);
  });

  test("that a rule of the project names are one issue, and the first rule counts", async () => {
    await new GroupingRules(rig.db, rig.clock).put(rig.workspaceId, session.id, [
      { match: { message: "*quota*", tool: "orders" }, key: "quota" },
      { match: { message: "payment * failed" }, key: "payments" },
      { match: { message: "*" }, key: "the rest" },
    ]);
    await fail("The quota of 5 is used up");
    await fail("no QUOTA left", at("pay"));
    await fail("Payment 4711 failed");
    await fail("anything else");
    await fail("and this");
    await scan();
    expect((await issues()).map(({ trace_count }) => trace_count).sort()).toEqual([1, 2, 2]);
  });

  test("that wait for the threshold count as the kind that they turn out to be", async () => {
    await fail("No flights from Paris to Oslo");
    await fail("No flights from Rome to Lima");
    await scan(3);
    expect(await issues()).toEqual([]);
    await fail("No flights from New York to San Francisco");
    await scan(3);
    expect(await names()).toEqual(["The tool orders fails: No flights from <value> to <value>"]);
  });

  test("that wait are joined when a later one shows that they are the same", async () => {
    const last = "Guest list for team offsite is full";
    // Nobody could tell from these two alone: the first may be a name of the program.
    for (const guests of ["KubeCon EU", "Anna's birthday"]) {
      await fail(`Guest list for ${guests} is full`);
      await scan(3);
    }
    expect(await rig.db.read.selectFrom("fingerprints").select("template").execute()).toHaveLength(2);
    await fail(last);
    await scan(3);
    expect((await issues()).map(({ name, trace_count }) => [name, trace_count])).toEqual([
      ["The tool orders fails: Guest list for <value> is full", 3],
    ]);
    expect(await rig.db.read.selectFrom("fingerprints").select("template").execute()).toHaveLength(1);
  });

  test("that wait are joined to an issue that learned what they are, with an event for each", async () => {
    await fail("Guest list for KubeCon EU is full");
    await scan(3);
    await fail("Guest list for Anna's birthday is full");
    await fail("Guest list for Anna's birthday is full");
    await fail("Guest list for Anna's birthday is full");
    await scan(3);
    expect((await issues()).map(({ trace_count }) => trace_count)).toEqual([3]);
    await fail("Guest list for team offsite is full");
    await scan(3);
    expect((await issues()).map(({ trace_count }) => trace_count)).toEqual([5]);
  });

  test("that three have shown to differ in values only are one, unless one of them came back", async () => {
    await fail("No recipe uses tofu");
    await fail("No recipe uses aubergine and miso");
    await fail("No guest wants cheese");
    await fail("No guest wants cheese");
    await fail("No guest wants bread and butter");
    await scan(3);
    await fail("No recipe uses leftover rice");
    await fail("No guest wants leftover rice");
    await scan(3);
    expect(await names()).toEqual(["The tool orders fails: No recipe uses <value>"]);
  });

  test("of two issues stay two, also when a later one shows that they are the same", async () => {
    await fail("Guest list for KubeCon EU is full");
    await fail("Guest list for Anna's birthday is full");
    await scan(1);
    await fail("Guest list for team offsite is full");
    await scan(1);
    expect((await issues()).map(({ trace_count }) => trace_count).sort()).toEqual([1, 2]);
  });

  test("that a person told apart stay apart for later traces", async () => {
    const ids = [
      await fail("City Paris is closed"),
      await fail("City Rome is closed"),
      await fail("City Oslo is closed"),
    ];
    await scan();
    const [issue] = await issues();
    const split = await rig.issues.split(rig.workspaceId, issue?.id ?? "", { traceIds: [ids[1] ?? ""] });
    await fail("City Rome is closed");
    await fail("City Lima is closed");
    await scan();
    expect((await rig.issues.get(rig.workspaceId, split.id)).trace_count).toBe(2);
    expect((await rig.issues.get(rig.workspaceId, issue?.id ?? "")).trace_count).toBe(3);
  });

  test("are forgotten when they are old, but for kinds that an issue knows", async () => {
    for (const city of ["Paris", "Rome", "Oslo"]) await fail(`City ${city} is closed`);
    await fail("seen once");
    await scan(3);
    rig.clock.advance(1_000);
    await rig.issues.sweep(0);
    const kinds = await rig.db.read.selectFrom("fingerprints").select("template").execute();
    expect(kinds).toEqual([{ template: "City <value> is closed" }]);
  });

  test("that were looked at before stay what they were", async () => {
    const id = await fail("City Paris is closed");
    await fail("City Rome is closed");
    await scan();
    // More came to the trace: it is looked at again.
    await rig.traces.write([{ id, trace_id: id, session_id: session.id, tags: ["seen"] }]);
    await scan();
    expect((await issues()).map(({ trace_count }) => trace_count)).toEqual([2]);
  });
});
