import { beforeAll, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { until } from "../../e2e/condition.ts";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { RunsRig } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";

/** Where the pictures of the screens go, for whoever wants to look at them. */
const PICTURES = Bun.env.FIGURE_PICTURES;

/** A run of a program elsewhere with one call of a model. */
function reported(number: number, model: string, revision: string) {
  const id = Bun.randomUUIDv7();
  const call = Bun.randomUUIDv7();
  const start = Date.now() - 60_000 * (1 + (number % 50));
  const at = (ms: number) => new Date(start + ms).toISOString();
  const base = { trace_id: id, session_name: "shop", start_time: at(0) };
  return [
    {
      ...{ ...base, id, name: "answer", run_type: "chain", end_time: at(800 + 13 * number) },
      ...{ extra: { metadata: { revision_id: revision } }, inputs: {}, outputs: {} },
      ...(number % 10 === 0 && { error: "Error: no answer" }),
    },
    {
      ...{ ...base, id: call, parent_run_id: id, name: "model", run_type: "llm", end_time: at(700) },
      extra: { metadata: { ls_model_name: model } },
      events: [{ name: "new_token", time: at(200 + number) }],
      ...{ inputs: {}, outputs: { usage_metadata: { input_tokens: 1_000, output_tokens: 100 } } },
    },
  ];
}

describeInBrowser("figures", () => {
  const served = servedConsole({ env: { ENGINE_INTERVAL: "0" } });

  beforeAll(async () => {
    const rig = new RunsRig(served.api, "chat");
    await rig.run(await rig.thread(), "hello");
    const known = Array.from({ length: 40 }, (_, at) => reported(at, "gpt-4o", at % 2 ? "first" : "second"));
    const unknown = Array.from({ length: 10 }, (_, at) => reported(at, "house-model", "second"));
    await served.api.ask("POST", "/langsmith/runs/batch", { post: [...known, ...unknown].flat(), patch: [] });
  });

  const total = (tab: ConsoleTab, name: string) =>
    tab.part("totals").locator("div").filter({ hasText: name }).locator("dd");

  served.test("the overview counts the runs of every project", async (tab) => {
    await tab.open("/");
    const vital = (name: string) => tab.part("vitals").locator("div").filter({ hasText: name }).locator("dd");
    await vital("Runs, last hour").getByText("51").waitFor();
    expect(await vital("Failed").first().textContent()).toContain("5");
    expect(await vital("Running now").textContent()).toBe("0");
    // One of a program elsewhere goes on, and ends.
    const id = Bun.randomUUIDv7();
    const run = { id, trace_id: id, name: "long", run_type: "chain", start_time: new Date().toISOString() };
    await served.api.ask("POST", "/langsmith/runs/batch", {
      post: [{ ...run, session_name: "shop", inputs: {} }],
      patch: [],
    });
    await vital("Running now").getByText("1").waitFor();
    const end = { id, trace_id: id, end_time: new Date().toISOString(), outputs: {} };
    await served.api.ask("POST", "/langsmith/runs/batch", {
      post: [],
      patch: [{ ...end, session_name: "shop" }],
    });
    await vital("Runs, last hour").getByText("52").waitFor();
    expect(await tab.barriers()).toEqual([]);
  });

  served.test("what runs did and cost is shown over time, told apart, and saved as CSV", async (tab) => {
    await tab.open("/");
    await tab.part("nav-figures").click();
    await total(tab, "Runs").getByText("52").waitFor();
    expect(await total(tab, "Errors").textContent()).toContain("5");
    // 40 × (1,000 × $2.50 + 100 × $10.00) / 1,000,000
    expect(await total(tab, "Cost").textContent()).toContain("$0.14");
    await tab.part("unpriced").getByText("house-model").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("filter-range").selectOption("1y");
    await total(tab, "Runs").getByText("52").waitFor();
    await tab.row("shop").getByRole("link").click();
    await total(tab, "Runs").getByText("51").waitFor();
    expect(tab.place).toContain("by=revision");
    await tab.part("tab-model").click();
    await tab.row("gpt-4o").getByText("40", { exact: true }).waitFor();
    await tab.row("house-model").getByText("unknown").waitFor();
    const download = tab.page.waitForEvent("download");
    await tab.part("csv").click();
    const file = await Bun.file(await (await download).path()).text();
    expect(file.split("\r\n")[0]).toStartWith("start,model,name,runs,errors");
    expect(file).toContain("gpt-4o");
  });

  served.test(
    "a model without a price says so, until somebody sets one; a wrong one is told at its field",
    async (tab) => {
      await tab.open("/figures?range=1h&by=model");
      await tab.part("unpriced").getByRole("link").click();
      const dialog = tab.part("price-dialog");
      await dialog.waitFor();
      expect(await tab.part("price-model").inputValue()).toBe("house-model");
      await tab.part("price-input").fill("two");
      await tab.part("confirm").click();
      await dialog.getByText("Enter a number, 0 or more").first().waitFor();
      expect(await tab.part("price-input").getAttribute("aria-invalid")).toBe("true");
      expect(await tab.barriers()).toEqual([]);
      await tab.part("price-input").fill("2");
      await tab.part("price-output").fill("20");
      await tab.page.keyboard.press("Enter");
      await tab.part("own-prices").getByRole("cell", { name: "house-model", exact: true }).waitFor();
      await tab.open("/figures?range=1h&by=model");
      // 10 × (1,000 × $2 + 100 × $20) / 1,000,000 beside the others' $0.14
      await total(tab, "Cost").getByText("$0.18").waitFor();
      expect(await tab.part("unpriced").count()).toBe(0);
    },
  );

  served.test("two revisions are compared", async (tab) => {
    await tab.open("/figures?range=1h&by=revision");
    await tab.part("compare-a").selectOption("first");
    await tab.part("compare-b").selectOption("second");
    const row = (name: string) => tab.part("comparison").getByTestId("table-row").filter({ hasText: name });
    await row("Runs").getByText("20", { exact: true }).waitFor();
    await row("Runs").getByText("30", { exact: true }).waitFor();
    await row("Runs").getByText("+50 %").waitFor();
    expect(await row("Error rate").textContent()).toContain("17 %");
    expect(tab.place).toContain("a=first");
  });

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `nothing keeps a person from reading it, ${colorScheme}, on a ${on}`,
      async (tab) => {
        for (const path of ["/figures?range=1h&by=revision&a=first&b=second", "/figures/prices"]) {
          await tab.open(path);
          await tab.part(path.includes("prices") ? "default-prices" : "groups").waitFor();
          await until(
            "the charts",
            () => tab.page.locator("canvas").count(),
            (count) => path.includes("prices") || count >= 5,
          );
          expect(await tab.barriers()).toEqual([]);
          const { scrollWidth, innerWidth } = await tab.page.evaluate(() => ({
            scrollWidth: document.documentElement.scrollWidth,
            innerWidth: window.innerWidth,
          }));
          expect(scrollWidth).toBeLessThanOrEqual(innerWidth);
          if (!PICTURES) continue;
          mkdirSync(PICTURES, { recursive: true });
          const file = `${PICTURES}/${path.includes("prices") ? "prices" : "figures"}-${on}-${colorScheme}.png`;
          await tab.page.locator("#screen").evaluate((main) => {
            main.style.overflow = "visible";
          });
          await tab.page.screenshot({ path: file, fullPage: true });
        }
      },
      { viewport: { width, height }, colorScheme },
    );

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `is told apart, saved and priced by the keyboard alone, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const model = `house-model-${on}-${colorScheme}`;
        const { keyboard } = tab.page;
        await tab.open("/");
        await keyboard.press("Control+k");
        await keyboard.insertText("figures");
        await tab.part("palette-entry").getByText("Figures").first().waitFor();
        await keyboard.press("Enter");
        await tab.reach(tab.part("filter-range"));
        await keyboard.press("End");
        await until(
          "the year in the address",
          async () => tab.place,
          (place) => place.includes("range=1y"),
        );
        await tab.press(tab.part("tab-model"));
        await tab.row("gpt-4o").waitFor();
        const download = tab.page.waitForEvent("download");
        await tab.press(tab.part("csv"));
        expect((await download).suggestedFilename()).toEndWith(".csv");
        await tab.press(tab.part("to-prices"));
        await tab.press(tab.part("new-price"));
        for (const [field, text] of [
          ["price-model", model],
          ["price-input", "1"],
          ["price-output", "2"],
        ] as const) {
          await tab.reach(tab.part(field));
          await keyboard.insertText(text);
        }
        expect(await tab.barriers()).toEqual([]);
        await keyboard.press("Enter");
        await tab.part("own-prices").getByRole("cell", { name: model, exact: true }).waitFor();
        expect(await tab.barriers()).toEqual([]);
        expect(await tab.beyond()).toBe(0);
      },
      { viewport: { width, height }, colorScheme },
    );
});
