import { expect } from "bun:test";
import { join } from "node:path";
import { describeInBrowser } from "../offline-browser.ts";
import { servedConsole } from "./served-console.ts";

type Reported = Record<string, unknown> & { id: string; dotted_order: string };

const stamp = (ms: number, id: string) =>
  `${new Date(ms).toISOString().replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`;

/** A run of a program elsewhere, a second long; it died where there is an error. */
function root(begun: number, error?: string): Reported {
  const id = Bun.randomUUIDv7();
  return {
    ...{ id, trace_id: id, dotted_order: stamp(begun, id), name: "book a flight", run_type: "chain" },
    ...{ session_name: "flights", inputs: { seat: "12A" }, outputs: error ? {} : { booked: true } },
    ...{ start_time: new Date(begun).toISOString(), end_time: new Date(begun + 1_000).toISOString() },
    ...(error && { error }),
  };
}

/** A run whose tool failed, and which went on. */
function handled(begun: number, error: string): Reported[] {
  const above = root(begun);
  const below = root(begun + 100, error);
  const dotted_order = `${above.dotted_order}.${below.dotted_order}`;
  const of = { trace_id: above.id, parent_run_id: above.id, dotted_order };
  return [above, { ...below, ...of, name: "find_seat", run_type: "tool" }];
}

describeInBrowser("the life of an issue", () => {
  const served = servedConsole({
    project: join(import.meta.dir, "../../e2e/issues/project"),
    env: { ENGINE_INTERVAL: "0", LG_WEBHOOK_TOKEN: "for the project" },
  });
  const { api } = served;
  const test: typeof served.test = (name, use, options) =>
    served.test(name, use, { reducedMotion: "reduce", ...options });

  /** A run of a program elsewhere, on a revision of its own, that failed in these words. */
  async function fail(error: string, revision_id?: string): Promise<string> {
    const id = Bun.randomUUIDv7();
    const start = new Date();
    const order = `${start.toISOString().replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`;
    const run = {
      ...{
        id,
        trace_id: id,
        dotted_order: order,
        name: "shop",
        run_type: "chain",
        session_name: "elsewhere",
      },
      ...{ start_time: start.toISOString(), end_time: new Date().toISOString(), error },
      ...{ inputs: { asked: "pay \u202egnp.exe\u200b now" }, outputs: {} },
      extra: { metadata: revision_id === undefined ? {} : { revision_id } },
    };
    await api.ask("POST", "/langsmith/runs/batch", { post: [run], patch: [] });
    return id;
  }
  const scan = () => api.ask("POST", "/v1/engine/scan", {});

  test("what was seen once or twice is listed, found, and becomes an issue", async (tab) => {
    await fail("RareError: \u001b[31mseen\u202e once");
    await fail("OtherError: and this one");
    await scan();
    await tab.open("/issues");
    await tab.part("rare-note").getByText("2 failures seen once or twice").waitFor();
    await tab.part("rare-note").getByText("2 of 2 failed runs are in no issue").waitFor();
    await tab.part("rare-note").getByRole("link").click();
    await tab.row("seen once").waitFor();
    expect(await tab.part("failures").textContent()).not.toMatch(/[^\P{Cc}\t\n]|\u202e/u);
    expect(await tab.barriers()).toEqual([]);
    await tab.part("filter-q").fill("AND THIS");
    await tab.row("seen once").waitFor({ state: "detached" });
    await tab.row("and this one").waitFor();
    await tab.part("clear-filters").click();
    await tab.row("seen once").waitFor();
    for (let i = 0; i < 2; i++) await fail("RareError: \u001b[31mseen\u202e once");
    await scan();
    await tab.row("seen once").waitFor({ state: "detached" });
    await tab.part("uncovered").getByText("1 of 4 failed runs").waitFor();
    await tab.open("/issues");
    await tab.row("seen once").waitFor();
    expect(await tab.part("issues").textContent()).not.toMatch(/[^\P{Cc}\t\n]|\u202e/u);
  });

  test("a trace's body writes out what a reader would not see", async (tab) => {
    const id = await fail("OtherError: and this one");
    await tab.open(`/traces/${id}`);
    await tab.page.getByText("pay \\u{202e}gnp.exe\\u{200b} now").waitFor();
  });

  test("one that is fixed in the next revision comes back on a later one, and says so", async (tab) => {
    for (let i = 0; i < 3; i++) await fail("PayError: the till is shut", "v1.4");
    await scan();
    await tab.open("/issues");
    await tab.row("the till is shut").click();
    await tab.part("figures").getByText("Only on v1.4").waitFor();
    await tab.part("close").click();
    await tab.part("choice-next").check();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("confirm").click();
    await tab.page.locator(".page-head").getByText("Fixed in the next revision").waitFor();
    await tab.part("history").getByText("Closed: Fixed in the next revision").waitFor();
    await fail("PayError: the till is shut", "v1.4");
    await scan();
    await tab.page.locator(".page-head").getByText("4 traces").waitFor();
    await tab.page.locator(".page-head").getByText("Fixed in the next revision").waitFor();
    await fail("PayError: the till is shut", "v1.5");
    await scan();
    await tab.page.locator(".page-head").getByText("Regression").waitFor();
    await tab.part("history").getByText("it came back in a run on revision v1.5").waitFor();
    await tab.part("figures").getByText("From v1.4 to v1.5").waitFor();
    await tab.part("issue-description").locator("summary").click();
    await tab.page.getByText("It was fixed and came back, last at").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.open("/issues");
    await tab.row("the till is shut").getByTestId("regression").waitFor();
  });

  test("runs that died come before a tool that failed in runs which went on", async (tab) => {
    const begin = Date.now() - 60_000;
    const runs = Array.from({ length: 100 }, (_, place) => {
      const begun = begin + place * 100;
      // Mixed: what counts is the part of the runs since one was first seen.
      const at = (place * 37) % 100;
      if (at < 60) return handled(begun, "ToolException: there is no seat 12A");
      if (at < 72) return [root(begun, "SeatError: the plan of seats is empty")];
      if (at < 75) return [root(begun, "MealError: no meal was chosen")];
      return at < 78 ? handled(begun, "TimeoutError: the airline is slow") : [root(begun)];
    });
    await api.ask("POST", "/langsmith/runs/batch", { post: runs.flat(), patch: [] });
    const { resources } = await api.ask<{ resources: { id: string }[] }>("GET", `/v1/sessions?name=flights`);
    const session = `session_id=${resources[0]?.id}`;
    await scan();
    await tab.open(`/issues?${session}`);
    // 60 % went on, 12 % died, 3 % died, 3 % went on: the seat is often missed, and yet stops nobody.
    for (const [words, severity] of [
      ["the plan of seats is empty", "High"],
      ["there is no seat", "Medium"],
      ["no meal was chosen", "Medium"],
      ["the airline is slow", "Low"],
    ] as const)
      expect([words, await tab.row(words).getByTestId("severity").textContent()]).toEqual([words, severity]);
    const rows = await tab.part("issues").getByTestId("table-row").allTextContents();
    expect(rows).toHaveLength(4);
    expect(rows[0]).toContain("the plan of seats is empty");
    expect(rows[3]).toContain("the airline is slow");
    expect(await tab.barriers()).toEqual([]);
    await tab.row("there is no seat").click();
    await tab.part("figures").getByText("the run goes on after it").waitFor();

    // The list of runs and the trace show the tool that failed, in a run that did not.
    await tab.open(`/runs?${session}`);
    const run = tab.row("there is no seat 12A").first();
    await run.getByTestId("handled-error").waitFor();
    expect(await run.getByTestId("status").textContent()).toBe("Success");
    const died = tab.row("the plan of seats is empty").first();
    expect(await died.getByTestId("status").textContent()).toBe("Error");
    expect(await died.getByTestId("handled-error").count()).toBe(0);
    await run.getByRole("link").first().click();
    await tab.part("spans-failed").getByText("1 of 2 spans failed").waitFor();
    await tab.page.locator('[data-span="find_seat"][data-status="error"]').waitFor();
  });

  test(
    "nothing of it is wider than a phone",
    async (tab) => {
      for (const place of ["/issues", "/issues?tab=failures"]) {
        await tab.open(place);
        await tab.part("table-row").first().waitFor();
        const tooMuch = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([place, tooMuch]).toEqual([place, 0]);
      }
      await tab.open("/issues");
      await tab.row("the till is shut").click();
      await tab.part("history").getByText("Regression").waitFor();
      expect(await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(await tab.barriers()).toEqual([]);
    },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  );
});
