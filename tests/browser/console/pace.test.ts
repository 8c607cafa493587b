import { beforeAll, expect } from "bun:test";
import { template } from "../../e2e/berth-process.ts";
import { until } from "../../e2e/condition.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { RunsRig } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";
import { reportTrace } from "./trace-rig.ts";

const RUNS = 10_000;
const THREADS = 1_000;
const SPANS = 2_000;
/** A machine that has other work takes longer; what draws every row takes longer than that. */
const ABSURD_MS = 5_000;
/** What a screen has room for, with what is kept ready above and below. */
const MOST_ROWS = 150;

/** Looks for tasks of 50 ms and more from now on; answers how long the longest was. */
async function watched(tab: ConsoleTab): Promise<() => Promise<number>> {
  await tab.page.evaluate(() => {
    const seen: number[] = [];
    const observer = new PerformanceObserver((list) =>
      seen.push(...list.getEntries().map(({ duration }) => duration)),
    );
    observer.observe({ type: "longtask" });
    Object.assign(window, { longTasks: seen });
  });
  return () =>
    tab.page.evaluate(() => Math.max(0, ...(Reflect.get(window, "longTasks") as number[]).map(Math.round)));
}

describeInBrowser("much of everything", () => {
  const served = servedConsole({ project: template("chat"), env: { ENGINE_INTERVAL: "0" } });
  let session = "";
  let trace = "";

  beforeAll(async () => {
    session = await new RunsRig(served.api, "chat").report("nightly", RUNS);
    trace = await reportTrace(served.api, SPANS);
    const written = (number: number) => {
      const values = { messages: [{ type: "human", content: `Note ${number}` }] };
      const supersteps = [{ updates: [{ values, as_node: "__start__" }] }];
      return served.api.ask("POST", "/threads", { metadata: { graph_id: "chat" }, supersteps });
    };
    for (let first = 0; first < THREADS; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, at) => written(first + at)));
  }, TEST_LIMIT_MS);

  /** Scrolls down until the list is as high as this, which it is once all of it has come. */
  const scrollToEnd = (tab: ConsoleTab, height: number) =>
    until(
      "all of the list",
      () =>
        tab.page.locator(".virtual-table").evaluate((box) => {
          box.scrollTo({ top: box.scrollHeight });
          return box.scrollHeight;
        }),
      (now) => now > height,
    );

  const told = (what: string, longest: number) => {
    console.log(`${what}: longest task ${longest} ms${longest === 0 ? " (none of 50 ms or more)" : ""}`);
    expect(longest).toBeLessThan(ABSURD_MS);
  };

  served.test(`${RUNS} runs are scrolled through`, async (tab) => {
    await tab.open(`/runs?session_id=${session}`);
    await tab.part("table-row").first().waitFor();
    const longest = await watched(tab);
    await scrollToEnd(tab, RUNS * 20);
    expect(await tab.part("table-row").count()).toBeLessThan(MOST_ROWS);
    told("runs", await longest());
  });

  served.test(`a trace of ${SPANS} spans is scrolled through and searched`, async (tab) => {
    await tab.open(`/traces/${trace}`);
    await tab.part("span").first().waitFor();
    const longest = await watched(tab);
    await tab.part("span-search").fill("window seat");
    await tab.part("spans-found").getByText("1 found").waitFor();
    await tab.page.keyboard.press("Enter");
    for (let steps = 0; steps < 20; steps++) await tab.page.mouse.wheel(0, 2_000);
    expect(await tab.part("span").count()).toBeLessThan(MOST_ROWS);
    told("trace", await longest());
  });

  served.test(`${THREADS} threads are scrolled through`, async (tab) => {
    await tab.open("/threads");
    await tab.part("table-row").first().waitFor();
    const longest = await watched(tab);
    await scrollToEnd(tab, THREADS * 20);
    expect(await tab.part("table-row").count()).toBeLessThan(MOST_ROWS);
    told("threads", await longest());
  });
});
