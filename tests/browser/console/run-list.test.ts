import { beforeAll, expect } from "bun:test";
import { until } from "../../e2e/condition.ts";
import { describeInBrowser } from "../offline-browser.ts";
import { RunsRig } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";

describeInBrowser("the list of runs", () => {
  const served = servedConsole({ env: { ENGINE_INTERVAL: "0", OFFLINE_TOKEN_MS: "0" } });
  const rig = new RunsRig(served.api, "chat");
  let many = "";

  beforeAll(async () => {
    await rig.run(await rig.thread(), "What shall we have for dinner?");
    await rig.run(await rig.thread(), "please fail");
    many = await rig.report("nightly", 400);
  });

  served.test("says how a run began whose thread is not among those that changed last", async (tab) => {
    // As it is where 200 other threads have changed since.
    await tab.page.route("**/api/threads?limit=200", (route) => route.fulfill({ json: [] }));
    await tab.open("/runs");
    await tab.row("What shall we have for dinner?").waitFor();
  });

  served.test("shows that a tool failed in a run that went on", async (tab) => {
    await tab.open("/runs");
    await tab.row("please fail").getByTestId("handled-error").waitFor();
    expect(await tab.row("please fail").getByTestId("status").textContent()).toBe("Success");
    expect(await tab.row("dinner").getByTestId("handled-error").count()).toBe(0);
    expect(await tab.barriers()).toEqual([]);
  });

  served.test("says of a run that has not begun what it waits for", async (tab) => {
    const later = { assistant_id: "chat", input: { messages: [] }, after_seconds: 7_200 };
    const { thread_id, run_id } = await served.api.ask<Record<string, string>>("POST", "/runs", later);
    await tab.open("/runs");
    const waiting = tab.part("waiting-runs");
    await waiting.getByText(/^Not before .*\d:\d\d/).waitFor();
    await waiting.getByText(String(thread_id).slice(-12)).waitFor();
    expect(await tab.barriers()).toEqual([]);
    await served.api.ask("POST", `/threads/${thread_id}/runs/${run_id}/cancel`);
    await waiting.waitFor({ state: "detached" });
  });

  served.test("is where it was left, with its filters, for whoever comes back", async (tab) => {
    const place = `/runs?session_id=${many}&status=success`;
    await tab.open(place);
    const list = tab.page.locator(".virtual-table");
    await tab.part("table-row").first().waitFor();
    await list.evaluate((box) => box.scrollTo({ top: 2_000 }));
    const row = tab.part("table-row").filter({ has: tab.page.locator("visible=true") });
    await until(
      "rows further down",
      () => row.first().getAttribute("aria-rowindex"),
      (index) => Number(index) > 20,
    );
    const top = await list.evaluate((box) => box.scrollTop);
    await tab.page.locator("[data-opener]").nth(20).click();
    await tab.part("page-title").waitFor();
    await until(
      "another screen",
      async () => tab.place,
      (now) => now.startsWith("/traces/"),
    );
    await tab.page.goBack();
    await until(
      "the same place",
      async () => [tab.place, await list.evaluate((box) => box.scrollTop).catch(() => -1)] as const,
      ([now, scrolled]) => now === place && Math.abs(scrolled - top) < 50,
    );
  });
});
