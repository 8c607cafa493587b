import { beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { template } from "../../e2e/berth-process.ts";
import { until } from "../../e2e/condition.ts";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { RunsRig, type Trace } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";

describeInBrowser("runs are searched, chosen and done with", () => {
  const served = servedConsole({ project: template("chat"), env: { ENGINE_INTERVAL: "0" } });
  const rig = new RunsRig(served.api, "chat");
  const runs: Trace[] = [];

  beforeAll(async () => {
    for (const text of ["Tell me of glaciers", "Tell me of volcanoes", "Tell me of glaciers again"])
      runs.push(await rig.run(await rig.thread(), text));
    await until(
      "their words to be found",
      () => served.api.ask<{ resources: unknown[] }>("GET", "/v1/traces?q=glaciers"),
      ({ resources }) => resources.length === 2,
    );
  });

  const counted = (tab: ConsoleTab, count: number) =>
    until(
      `${count} rows`,
      () => tab.part("table-row").count(),
      (found) => found === count,
    );

  served.test("by what they said, with the search in the address, and exported as it is", async (tab) => {
    await tab.open("/runs");
    await counted(tab, 3);
    await tab.part("filter-q").fill("glaciers");
    await counted(tab, 2);
    expect(tab.place).toBe("/runs?q=glaciers");
    await tab.part("filter-sort").selectOption("latency_ms");
    await until(
      "the order in the address",
      async () => tab.place,
      (place) => place.includes("sort=latency_ms"),
    );
    await counted(tab, 2);
    expect(await tab.barriers()).toEqual([]);
    const saved = tab.page.waitForEvent("download");
    await tab.part("export").click();
    await tab.part("export-csv").click();
    const path = await (await saved).path();
    const lines = readFileSync(path, "utf8").trimEnd().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain("glaciers");
  });

  served.test("several at once, by keyboard alone: labelled, started again and deleted", async (tab) => {
    await tab.open("/runs?q=glaciers");
    await counted(tab, 2);
    await tab.page.locator("[data-opener]").first().focus();
    await tab.page.keyboard.press("x");
    await tab.part("bulk-actions").getByText("1 selected").waitFor();
    await tab.page.keyboard.press("j");
    await tab.page.keyboard.press("Shift+X");
    await tab.part("bulk-actions").getByText("2 selected").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("bulk-label").click();
    await tab.part("label-tags").fill("ice, checked");
    await tab.page.keyboard.press("Enter");
    await until(
      "the tags",
      () => served.api.ask<{ resources: { tags: string[] }[] }>("GET", "/v1/traces?tag=ice"),
      ({ resources }) => resources.length === 2 && resources.every(({ tags }) => tags.includes("checked")),
    );
    await tab.part("bulk-retry").click();
    await tab.page.getByText("2 runs started again.").waitFor();
    await until(
      "the runs that were started again",
      () => served.api.ask<{ resources: unknown[] }>("GET", "/v1/traces?q=glaciers"),
      ({ resources }) => resources.length === 4,
    );
    await tab.open("/runs?tag=ice");
    await counted(tab, 2);
    await tab.page.locator("[data-opener]").first().focus();
    await tab.page.keyboard.press("Control+a");
    await tab.part("bulk-delete").click();
    await tab.part("confirm").click();
    await counted(tab, 0);
    const { resources } = await served.api.ask<{ resources: unknown[] }>("GET", "/v1/traces?tag=ice");
    expect(resources).toEqual([]);
  });

  served.test("by what they cost, which the list shows", async (tab) => {
    const start_time = new Date(Date.now() - 60_000).toISOString();
    const end_time = new Date(Date.now() - 59_000).toISOString();
    const post = [
      { name: "cheap", model: "gpt-4", input_tokens: 1_000 },
      { name: "dear", model: "gpt-4", input_tokens: 100_000 },
      { name: "unknown", model: "house-model", input_tokens: 1_000 },
    ].flatMap(({ name, model, input_tokens }) => {
      const id = Bun.randomUUIDv7();
      const base = { trace_id: id, session_name: "shop", start_time, end_time, inputs: {} };
      const usage_metadata = { input_tokens, output_tokens: 0, total_tokens: input_tokens };
      return [
        { ...base, id, name, run_type: "chain", outputs: {} },
        {
          ...{ ...base, id: Bun.randomUUIDv7(), parent_run_id: id, name: "model", run_type: "llm" },
          ...{ outputs: { usage_metadata }, extra: { metadata: { ls_model_name: model } } },
        },
      ];
    });
    await served.api.ask("POST", "/langsmith/runs/batch", { post, patch: [] });
    await tab.open("/runs?session_id=all&sort=cost");
    await tab.part("table-row").first().getByText("$3.00").waitFor();
    expect(await tab.part("table-row").first().textContent()).toContain("dear");
    await tab.row("cheap").getByText("$0.03").waitFor();
    await tab.part("more-filters").click();
    await tab.part("filter-min_cost").fill("0.5");
    await counted(tab, 1);
    expect(tab.place).toContain("min_cost=0.5");
    await tab.page.reload();
    await tab.row("dear").waitFor();
    await counted(tab, 1);
    await tab.open("/runs?session_id=all&name=unknown");
    await tab.row("unknown").getByTitle("A model that it called has no price here").waitFor();
    expect(await tab.barriers()).toEqual([]);
  });

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `are found, labelled, saved and opened by the keyboard alone, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const run = runs[1];
        const label = `fire-${on}-${colorScheme}`;
        const { keyboard } = tab.page;
        await tab.open("/runs");
        await tab.reach(tab.part("filter-q"));
        await keyboard.insertText("volcanoes");
        await counted(tab, 1);
        await tab.reach(tab.page.locator("[data-opener]"));
        await keyboard.press("x");
        await tab.part("bulk-actions").getByText("1 selected").waitFor();
        expect(await tab.barriers()).toEqual([]);
        const shots = process.env.BERTH_SHOTS;
        if (shots) await tab.page.screenshot({ path: `${shots}/runs-${width}-${colorScheme}.png` });
        await tab.press(tab.part("bulk-label"));
        await tab.reach(tab.part("label-tags"));
        await keyboard.insertText(label);
        await keyboard.press("Enter");
        await until(
          "the tag",
          () => served.api.ask<{ resources: unknown[] }>("GET", `/v1/traces?tag=${label}`),
          ({ resources }) => resources.length === 1,
        );
        const saved = tab.page.waitForEvent("download");
        await tab.press(tab.part("export"));
        await tab.reach(tab.part("export-csv"));
        await keyboard.press("Enter");
        expect(readFileSync(await (await saved).path(), "utf8")).toContain("volcanoes");
        expect(await tab.beyond()).toBe(0);
        // An id that was pasted leads to its run, and what the screen offers is done from there.
        await keyboard.press("Control+k");
        await keyboard.insertText(run?.id ?? "");
        await tab.page.getByText(`Open ${run?.id}`).waitFor();
        expect(await tab.barriers()).toEqual([]);
        await keyboard.press("Enter");
        await tab.part("retry").waitFor();
        await keyboard.press("Control+k");
        await keyboard.insertText("new deployment");
        await keyboard.press("Enter");
        await until(
          "the screen of a new deployment",
          async () => tab.place,
          (place) => place === "/deployments/new",
        );
        expect(await tab.beyond()).toBe(0);
      },
      { viewport: { width, height }, colorScheme },
    );

  // Signs everybody of this file out, and so comes last.
  served.test("the palette finds an id, does what the screen offers, and signs out", async (tab) => {
    const run = runs[1];
    await tab.open("/");
    await tab.page.keyboard.press("Control+k");
    await tab.part("palette-input").fill(run?.id ?? "");
    await tab.page.getByText(`Open ${run?.id}`).waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.page.keyboard.press("Enter");
    await tab.part("span").first().waitFor();
    expect(tab.place).toBe(`/traces/${run?.id}`);
    await tab.part("retry").waitFor();
    await tab.page.keyboard.press("Control+k");
    await tab.part("palette-input").fill("retry");
    await tab.page.keyboard.press("Enter");
    await until(
      "the trace of the run that was started again",
      async () => tab.place,
      (place) => place.startsWith("/traces/") && !place.includes(run?.id ?? "none"),
    );
    await tab.page.keyboard.press("Control+k");
    await tab.part("palette-input").fill("sign out");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByLabel(/key/i).first().waitFor();
  });
});
