import { expect } from "bun:test";
import { join } from "node:path";
import { describeInBrowser } from "../offline-browser.ts";
import { servedConsole } from "./served-console.ts";

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
    await tab.page.getByText("It was fixed and came back, last at").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.open("/issues");
    await tab.row("the till is shut").getByTestId("regression").waitFor();
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
