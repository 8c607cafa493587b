import { beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { until } from "../../e2e/condition.ts";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import { RunsRig } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";
import { reportTrace } from "./trace-rig.ts";

const SPANS = 2_000;
/** Has a graph whose node calls 200 chains, and tools that last as long as they are told, side by side. */
const PROJECT = join(import.meta.dir, "../../agent/traces/project");

describeInBrowser("a long trace", () => {
  const served = servedConsole({ project: PROJECT, env: { ENGINE_INTERVAL: "0" } });
  let long = "";

  beforeAll(async () => {
    long = await reportTrace(served.api, SPANS);
  });

  served.test(
    "says how many spans failed, goes from error to error, and shows stack and cause",
    async (tab) => {
      await tab.open(`/traces/${long}`);
      await tab.part("spans-failed").getByText("4 of 2000 spans failed").waitFor();
      const error = tab.part("span-error");
      await error.getByText("no seat left").first().waitFor();
      await error.getByText("booking.py", { exact: false }).first().waitFor();
      await tab.part("span-cause").getByText("connection to seats.internal was refused").waitFor();
      await tab.part("span-cause").getByText("seats.ts:17:9", { exact: false }).waitFor();
      const chosen = tab.page.locator("[role=treeitem][aria-selected=true]");
      for (const name of ["step 25", "step 777", "step 1500", "book a journey"]) {
        await tab.part("next-error").click();
        await chosen.and(tab.page.locator(`[data-span="${name}"]`)).waitFor();
      }
      // By keyboard, back and forth, and from wherever it is folded away.
      await chosen.focus();
      await tab.part("fold-all").click();
      await chosen.focus();
      await tab.page.keyboard.press("e");
      await chosen.and(tab.page.locator('[data-span="step 25"]')).waitFor();
      await tab.page.keyboard.press("Shift+E");
      await chosen.and(tab.page.locator('[data-span="book a journey"]')).waitFor();
      expect(await tab.barriers()).toEqual([]);
    },
  );

  served.test("finds spans by what they say, and draws only those that can be seen", async (tab) => {
    await tab.open(`/traces/${long}`);
    await tab.part("span").first().waitFor();
    expect(await tab.part("span").count()).toBeLessThan(100);
    await tab.part("span-search").fill("window seat");
    await tab.part("spans-found").getByText("1 found").waitFor();
    await tab.page.keyboard.press("Enter");
    const chosen = tab.page.locator("[role=treeitem][aria-selected=true]");
    await chosen.and(tab.page.locator('[data-span="step 1234"]')).waitFor();
    await tab.part("spans-found").getByText("1 of 1").waitFor();
    await until(
      "the span in the address",
      async () => tab.place,
      (place) => place.includes("span="),
    );
    await tab.part("span-search").fill("no such words");
    await tab.part("spans-found").getByText("None").waitFor();
  });

  served.test("has the chains that a node calls, and for each tool the time that it took", async (tab) => {
    const rig = new RunsRig(served.api, "chains");
    const { id } = await rig.run(await rig.thread(), "call them all");
    await tab.open(`/traces/${id}`);
    const span = (name: string) => tab.page.locator(`[role=treeitem][data-span="${name}"]`);
    await span("many").waitFor();
    await tab.part("span-search").fill("double");
    // 200 of the node "many", three of "kinds", and one of each tool.
    await tab.part("spans-found").getByText("206 found").waitFor();
    await span("double").first().waitFor();
    const [many, double] = [span("many"), span("double").first()];
    const level = async (line: typeof many) => Number(await line.getAttribute("aria-level"));
    expect(await level(double)).toBe((await level(many)) + 1);
    expect(await double.getAttribute("aria-setsize")).toBe("200");
    await tab.part("span-search").fill("wait");
    await tab.page.keyboard.press("Enter");
    const calls = span("wait");
    await until(
      "the three calls",
      () => calls.count(),
      (count) => count === 3,
    );
    const took = (await calls.locator(".span-took").allTextContents()).map(msOf);
    // They began together and in this order: 300, 30 and 150 ms.
    expect(took[0]).toBeGreaterThanOrEqual(295);
    expect(took[1]).toBeGreaterThanOrEqual(25);
    expect(took[2]).toBeGreaterThanOrEqual(145);
    expect(took[1]).toBeLessThan(took[2] ?? 0);
    expect(took[2]).toBeLessThan(took[0] ?? 0);
    const widths = await calls.locator(".span-bar").evaluateAll((bars) => bars.map((bar) => bar.clientWidth));
    expect(widths[1]).toBeLessThan(widths[2] ?? 0);
    expect(widths[2]).toBeLessThan(widths[0] ?? 0);
    expect(await tab.barriers()).toEqual([]);
  });

  for (const { width, height, colorScheme } of LOOKS)
    served.test(
      `can be read at ${width} pixels, ${colorScheme}, with a time line as wide as there is room`,
      async (tab) => {
        await tab.open(`/traces/${long}`);
        await tab.part("span").first().waitFor();
        expect(await tab.barriers()).toEqual([]);
        const lane = await tab.page.locator(".span-line .span-lane").first().boundingBox();
        expect(lane?.width).toBeGreaterThan(width > 1000 ? 280 : 250);
        const shots = process.env.BERTH_SHOTS;
        if (shots) await tab.page.screenshot({ path: `${shots}/trace-${width}-${colorScheme}.png` });
      },
      { viewport: { width, height }, colorScheme },
    );
});

/** A duration as the page writes it: "30 ms", "1.2 s". */
function msOf(text: string): number {
  const [, number, unit] = /^([\d.]+) (ms|s)$/.exec(text) ?? [];
  return Number(number) * (unit === "s" ? 1_000 : 1);
}
