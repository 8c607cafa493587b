import { expect, test } from "bun:test";
import type { Trace } from "@berth/server";
import { runSearch } from "../../../web/console/runs/list/run-search.ts";
import {
  extended,
  listOf,
  PAGE,
  pendingBehind,
  type RunList,
  renewed,
  unheld,
  updated,
} from "../../../web/console/runs/list/use-runs.ts";
import { readMetadataFilter } from "../../../web/console/runs/threads/threads.ts";
import { sameAgain } from "../../../web/console/runs/trace/rerun.ts";

const run = (second: number, status: Trace["status"] = "success"): Trace => ({
  ...{
    id: `r${second}`,
    tenant_id: "t",
    created_at: "",
    updated_at: "",
    session_id: "s",
    thread_id: null,
    name: "agent",
    status,
    error: null,
  },
  ...{ start_time: new Date(second * 1_000).toISOString(), end_time: null, latency_ms: null },
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0, span_count: 1, dropped_spans: 0 },
  ...{ dropped_bodies: 0, metadata: {}, tags: [], cost: 0, handled_error: null },
  ...{ first_token_ms: null, revision_id: null, assistant_id: null },
});
const runs = (...seconds: number[]) => seconds.map((second) => run(second));
const ids = ({ rows, held }: RunList) => [rows, held].map((list) => list.map(({ id }) => id).join(" "));
const down = (from: number, count: number) => runs(...Array.from({ length: count }, (_, i) => from - i));

test("new runs come on top, those that were known are brought up to date", () => {
  const list = listOf({ resources: [run(3, "pending"), ...runs(2, 1)], next: null });
  const now = renewed(list, { resources: runs(5, 4, 3, 2, 1), next: null }, false);
  expect(ids(now)).toEqual(["r5 r4 r3 r2 r1", ""]);
  expect(now.rows[2]?.status).toBe("success");
  // One of a deployment may arrive late: it stands where it began. One that does not match any more goes.
  expect(ids(renewed(now, { resources: runs(5, 4.5, 3, 2, 1), next: null }, false))).toEqual([
    "r5 r4.5 r3 r2 r1",
    "",
  ]);
});

test("under somebody who has scrolled down nothing moves until it is asked for", () => {
  const list = listOf({ resources: [run(2, "pending"), run(1)], next: "more" });
  const held = renewed(list, { resources: runs(4, 3, 2), next: "more" }, true);
  expect(ids(held)).toEqual(["r2 r1", "r4 r3"]);
  expect(held.rows[0]?.status).toBe("success");
  expect(ids(unheld(held))).toEqual(["r4 r3 r2 r1", ""]);
});

test("more new ones than a page tells are a gap, not a list with a hole", () => {
  const list = listOf({ resources: down(100, PAGE), next: "more" });
  const head = { resources: down(1_000, PAGE), next: "more" };
  const reading = renewed(list, head, true);
  expect([reading.hasGap, reading.rows.length]).toEqual([true, PAGE]);
  const top = renewed(list, head, false);
  expect([top.hasGap, top.rows[0]?.id, top.rows.length]).toEqual([false, "r1000", PAGE]);
});

test("a page behind the last one repeats nothing; runs further down that go on are looked for", () => {
  const first = { resources: [...down(200, PAGE - 1), run(101, "pending")], next: "more" };
  const list = extended(listOf(first), { resources: [run(101), run(50, "pending"), run(49)], next: null });
  expect(list.rows).toHaveLength(PAGE + 2);
  expect(pendingBehind(list, first, 10).map(({ id }) => id)).toEqual(["r50"]);
  expect(updated(list, [run(50)]).rows.at(-2)?.status).toBe("success");
  // What the first page cannot tell of stays.
  expect(renewed(list, first, false).rows).toHaveLength(PAGE + 2);
});

test("an address becomes a search, whatever is typed in it", () => {
  const now = Date.parse("2026-01-02T00:00:30Z");
  const search = (address: string, session?: string) =>
    Object.fromEntries(new URLSearchParams(runSearch(new URLSearchParams(address), session, now)));
  expect(search("at=d&status=error&name=+agent+&min_latency_ms=1.5&tab=x", "s")).toEqual({
    ...{ status: "error", name: "agent", session_id: "s" },
  });
  expect(search("since=24h&min_latency_ms=20")).toEqual({
    min_latency_ms: "20",
    from: "2026-01-01T00:00:00.000Z",
  });
  expect(search("session_id=all", "s")).toEqual({});
  expect(search("session_id=other&since=never", "s")).toEqual({ session_id: "other" });
});

test("metadata are typed as pairs or as JSON", () => {
  expect(readMetadataFilter("")).toBeUndefined();
  expect(readMetadataFilter('user=ada, age=7,ok=true,name="7"')).toEqual({
    metadata: { user: "ada", age: 7, ok: true, name: "7" },
  });
  expect(readMetadataFilter('{"a":{"b":1}}')).toEqual({ metadata: { a: { b: 1 } } });
  for (const text of ["user", "=x", '{"a":', "a=1,"])
    expect(readMetadataFilter(text)).toHaveProperty("error");
});

test("a run that is repeated is asked the same, without what was its own", () => {
  const stored = {
    ...{ run_id: "r", thread_id: "t", assistant_id: "a" },
    metadata: { created_by: "system", graph_id: "g", assistant_id: "a", mine: 1 },
    kwargs: {
      ...{ input: { x: 1 }, context: null, stream_mode: ["values"] },
      config: {
        recursion_limit: 5,
        configurable: {
          run_id: "r",
          thread_id: "t",
          checkpoint_id: "c",
          __x: 1,
          "user-agent": "x",
          model: "m",
        },
      },
    },
  };
  expect(sameAgain(stored)).toEqual({
    assistant_id: "a",
    input: { x: 1 },
    config: { recursion_limit: 5, configurable: { model: "m" } },
    metadata: { mine: 1 },
  });
});
