import { describe, expect, test } from "bun:test";
import type { FindingGroup } from "@berth/store";
import { severityOf } from "../../../agent/engine/severity.ts";
import { describe as words } from "../../../agent/engine/texts.ts";
import { Writer } from "../../../agent/engine/writer.ts";
import { standingClock } from "../../store/every-store.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const group = ({ traces = 10, ...more }: Partial<FindingGroup> = {}): FindingGroup => ({
  ...{
    fingerprint: "v1-x",
    version: 1,
    detector: "tool_error",
    error_type: "Error",
    node: "tools",
    tool: "orders",
  },
  ...{ message: "no order <n>", reason: "The tool orders threw Error, and the run went on.", sample: [] },
  ...{
    ...{ traces, session_shown: traces, handled: false, typical_trace_id: null },
    threads: 10,
    session_traces: 1_000,
    recent: 2,
    first_seen_at: START,
    last_seen_at: START + HOUR,
  },
  ...more,
});

/** A kind of failure that no run dies of. */
const QUIET = { detector: "empty_answer" };

describe("severity", () => {
  test.each<[string, Partial<FindingGroup>, number]>([
    ["1 % of the runs", QUIET, 3],
    ["just below 5 %", { ...QUIET, traces: 49 }, 3],
    ["5 %", { ...QUIET, traces: 50 }, 2],
    ["20 %", { ...QUIET, traces: 200 }, 1],
    ["half of them", { ...QUIET, traces: 500 }, 0],
    ["three of three runs, which count as twenty", { ...QUIET, traces: 3, session_traces: 3 }, 2],
    ["growing", { ...QUIET, traces: 50, recent: 25 }, 1],
    ["growing, but just begun", { ...QUIET, traces: 50, recent: 25, last_seen_at: START + 60_000 }, 2],
    ["growing, but few", { ...QUIET, traces: 7, recent: 7, session_traces: 100 }, 2],
    ["growing beyond urgent", { ...QUIET, traces: 600, recent: 600 }, 0],
    ["one thread only", { ...QUIET, traces: 50, threads: 1 }, 3],
    ["one thread, and rare", { ...QUIET, threads: 1 }, 3],
    ["1 % of the runs, which died", {}, 2],
    ["45 crashed runs of 500", { traces: 45, session_traces: 500, detector: "exception" }, 1],
    ["a fifth of the runs, which died", { traces: 200 }, 0],
    ["a time-out of 5 % of the runs", { traces: 50, detector: "timeout" }, 1],
    ["slow runs, however many", { detector: "slow_run", traces: 900 }, 2],
    ["feedback, however much", { detector: "negative_feedback", traces: 900 }, 1],
    ["a detector that nobody knows yet", { detector: "new", traces: 900 }, 0],
    ["a tool that fails in half of the runs, which go on", { traces: 500, handled: true }, 2],
    [
      "a tool that fails in all of them more and more, which go on",
      { traces: 1_000, recent: 600, handled: true },
      2,
    ],
    ["slow runs, which do not fail", { detector: "slow_run", traces: 900, handled: true }, 2],
    [
      "many once, and few of the newest 10,000",
      { traces: 5_000, session_shown: 100, session_traces: 10_000 },
      2,
    ],
  ])("of %s", (_, more, severity) => expect(severityOf(group(more)).severity).toBe(severity as 0));
});

describe("words", () => {
  test("say what, how often, why it is one issue and why it is that urgent", () => {
    const { name, description, severity } = words(group({ traces: 50 }));
    expect(name).toBe("The tool orders fails: no order <n>");
    expect(severity).toBe(1);
    expect(description.split("\n\n")).toEqual([
      "The tool orders fails.",
      "Seen in 50 runs (50 of the project's 1000 since then, 5 %), on 10 threads, first at 2026-01-01T00:00:00.000Z, last at 2026-01-01T01:00:00.000Z.",
      "Message: no order <n>",
      "The tool orders threw Error, and the run went on.",
      "Why these are one issue: each shows a failure of the same tool, the type Error, the node tools, the tool orders and the same message, apart from what stands in angle brackets, which differs from run to run (fingerprint version 1).",
      "Severity 1 (high): 50 of 1000 runs affected (5 %), runs died of it.",
    ]);
  });

  test("say what few runs count as", () => {
    const { description } = words(group({ traces: 3, session_traces: 6 }));
    expect(description).toEndWith(
      "Severity 1 (high): 3 of 6 runs affected, rated as 3 of 20, runs died of it.",
    );
  });

  test.each<[Partial<FindingGroup>, string]>([
    [
      { detector: "exception", tool: null, error_type: "TypeError", message: "x is undefined" },
      "TypeError in the node tools: x is undefined",
    ],
    [{ detector: "tool_error", error_type: "OrderError" }, "The tool orders fails: OrderError: no order <n>"],
    [{ detector: "recursion_limit", tool: null, node: null }, "The run reaches its recursion limit"],
    [{ detector: "timeout" }, "The tool orders runs into its time limit"],
    [{ detector: "loop" }, "The tool orders is called again and again with the same arguments"],
    [{ detector: "cut_off_answer", tool: null, node: null }, "The model ends its answer at the token limit"],
    [{ detector: "empty_answer", tool: null, node: "agent" }, "The node agent ends with an empty answer"],
    [{ detector: "negative_feedback", tool: null, node: null }, "The run gets negative feedback"],
    [{ detector: "slow_run", tool: null, node: "crawl" }, "The node crawl takes far longer than usual"],
    [{ detector: "token_outlier", tool: null, node: null }, "The run uses far more tokens than usual"],
  ])("have a title for %p", (more, title) => expect(words(group(more)).name).toBe(title));

  test("are short where a message is long", () => {
    expect(words(group({ message: "very ".repeat(100) })).name).toHaveLength(140);
  });
});

describe("a model", () => {
  const answer = { name: "Orders are missing", description: "They are not found.", cause: "An old list." };
  const log: string[] = [];
  const clock = standingClock();
  const writer = (ask: (prompt: string, signal: AbortSignal) => Promise<string>, timeoutMs = 1_000) =>
    new Writer({ ask, clock, log: (event) => void log.push(event), timeoutMs });

  test("decides nothing about severity", async () => {
    const said = { ...answer, severity: 0 };
    expect(await writer(async () => JSON.stringify(said)).describe(group())).toEqual({
      ...answer,
      severity: 2,
      why: "10 of 1000 runs affected (1 %), runs died of it",
    });
  });

  test("that hangs is not waited for, whether it heeds its signal or not", async () => {
    const never = () => new Promise<string>(() => {});
    expect((await writer(never, 20).describe(group())).name).toBe("The tool orders fails: no order <n>");
  });

  test("that failed three times in a row is left alone for ten minutes", async () => {
    let asked = 0;
    const failing = writer(async () => {
      asked += 1;
      throw new Error("529 overloaded");
    });
    for (let i = 0; i < 5; i++) await failing.describe(group());
    expect(asked).toBe(3);
    clock.advance(600_000);
    await failing.describe(group());
    expect(asked).toBe(4);
  });
});
