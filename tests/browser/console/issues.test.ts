import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { isSigned } from "../../../server/delivery/signature.ts";
import { until } from "../../e2e/condition.ts";
import { startReceiver } from "../../server/delivery/receiver.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { KEY, servedConsole } from "./served-console.ts";

describeInBrowser("issues and webhooks", () => {
  const receiver = startReceiver();
  const broken = startReceiver(() => new Response("<h1>out of order</h1>", { status: 500 }));
  const served = servedConsole({
    project: join(import.meta.dir, "../../e2e/issues/project"),
    env: {
      ...{ ENGINE_INTERVAL: "0", WEBHOOK_ALLOW: "127.0.0.0/8", WEBHOOK_BACKOFF: "0,0,0" },
      LG_WEBHOOK_TOKEN: "for the project",
    },
  });
  const { api } = served;

  /** Half-transparent words of something that fades in would count as too faint. */
  const test: typeof served.test = (name, use, options) =>
    served.test(name, use, { reducedMotion: "reduce", ...options });

  beforeAll(async () => {
    const faults = ["refused", "broken", "refused", "broken", "refused", "broken", undefined];
    const order = (fault: string | undefined, at: number) =>
      api.ask("POST", "/runs/wait", { assistant_id: "shop", input: { order: at, fault } });
    await Promise.all(faults.map(order));
  });
  afterAll(() => {
    receiver.stop();
    broken.stop();
  });

  const bytes = (text: string) => new TextEncoder().encode(text);
  const arrived = (count: number) =>
    until(
      "deliveries",
      async () => receiver.received.length,
      (length) => length >= count,
    );
  /** So many there are, a moment later at the latest. */
  const rowsOf = (rows: Locator, wanted: number) =>
    until(
      "the rows",
      () => rows.count(),
      (count) => count === wanted,
    );
  const traceRows = (tab: ConsoleTab, wanted: number) =>
    rowsOf(tab.part("evidence").getByTestId("table-row"), wanted);
  const status = (tab: ConsoleTab) => tab.page.locator(".page-head").getByTestId("status").first();

  test("a webhook is made, shows its secret once, and what it is sent can be checked with that", async (tab) => {
    await tab.open("/webhooks");
    await tab.part("empty").getByRole("button", { name: "New webhook" }).click();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("target").fill("http://169.254.169.254/latest");
    await tab.part("save-webhook").click();
    await tab.page.getByText("link-local, metadata or multicast").waitFor();
    tab.troubles.splice(0);
    await tab.part("target").fill(`${receiver.url}hook`);
    await tab.part("choice-issue.trace.added").check();
    await tab.page.getByRole("button", { name: "Add a header" }).click();
    await tab.page.getByLabel("Name of header 1").fill("Authorization");
    await tab.page.getByLabel("Value of header 1").fill("Bearer of-the-receiver");
    await tab.part("save-webhook").click();
    const secret = (await tab.part("secret").textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await tab.part("secret-kept").click();

    await tab.part("snippets").waitFor();
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.page.content()).not.toContain(secret);
    await tab.part("test-webhook").click();
    await tab.page.waitForURL("**/console/deliveries/**");
    await status(tab).getByText("Delivered").waitFor();
    const [received] = receiver.received;
    if (!received) throw new Error("nothing came");
    expect(isSigned(bytes(received.body), received.headers.get("x-service-signature"), secret)).toBe(true);
    expect(received.headers.get("authorization")).toBe("Bearer of-the-receiver");
    expect(await tab.part("delivery-body").getByTestId("json").textContent()).toBe(received.body);
    await tab.part("attempt").getByText("headers that were sent").click();
    expect(await tab.part("attempt").textContent()).toContain("Authorization***");
    expect(await tab.page.content()).not.toContain("of-the-receiver");
    expect(await tab.barriers()).toEqual([]);

    await tab.part("redeliver").click();
    await arrived(2);
    await tab.part("attempt").nth(1).waitFor();
    expect(receiver.received[1]?.body).toBe(received.body);
  });

  test("issues appear by themselves, say why they are one, and are judged", async (tab) => {
    await tab.open("/issues");
    await tab.part("empty").waitFor();
    await tab.part("scan").click();
    await tab.row("ECONNREFUSED").waitFor();
    await rowsOf(tab.part("table-row").filter({ has: tab.part("severity") }), 2);
    expect(await tab.barriers()).toEqual([]);

    await tab.row("has no items").click();
    await tab.part("grouping").getByText("search_orders, in the node search, threw TypeError").waitFor();
    await tab.part("told").getByText("told about every new trace").waitFor();
    await tab.part("chart").first().waitFor();
    await traceRows(tab, 3);
    const link = tab.part("evidence").locator("[data-opener]").first();
    expect(await link.getAttribute("href")).toMatch(/^\/console\/traces\/[-\da-f]{36}\?span=[-\da-f]{36}$/);
    expect(await tab.barriers()).toEqual([]);

    await tab.part("edit").click();
    await tab.part("severity-select").selectOption({ label: "Urgent" });
    await tab.part("confirm").click();
    await tab.page.locator(".page-head").getByText("Urgent").waitFor();
    await tab.part("close").click();
    await tab.part("choice-wont_fix").check();
    await tab.part("confirm").click();
    await status(tab).getByText("Won’t fix").waitFor();
    await tab.part("told").getByText("closed for good").waitFor();
    await tab.part("reopen").click();
    await status(tab).getByText("Open").waitFor();
    await tab.part("issue-menu").click();
    await tab.part("mute").click();
    await tab.part("confirm").click();
    await tab.part("told").getByText("The issue is muted").waitFor();
  });

  test("issues are merged and split, by kind and by trace", async (tab) => {
    await tab.open("/issues?order=trace_count");
    await tab.row("ECONNREFUSED").click();
    await tab.part("issue-menu").click();
    await tab.part("merge").click();
    await tab.page.getByRole("radio").first().check();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("confirm").click();
    await tab.page.getByTestId("page-title").getByText("has no items").waitFor();
    await tab.part("grouping").getByText("2 kinds, merged by a person").waitFor();

    await tab.part("issue-menu").click();
    await tab.part("split").click();
    await tab.page.getByRole("checkbox", { name: "ECONNREFUSED" }).check();
    await tab.page.getByLabel("Its title").fill("The database is down");
    await tab.part("confirm").click();
    await tab.page.getByTestId("page-title").getByText("The database is down").waitFor();
    await traceRows(tab, 3);

    await tab.part("evidence").getByRole("checkbox").first().check();
    await tab.part("split-traces").click();
    await tab.part("confirm").click();
    await tab.page.getByTestId("page-title").getByText("The database is down (split)").waitFor();
  });

  test("a receiver that is out of order is shown as that, and gets later what it missed", async (tab) => {
    const wanted = { url: `${broken.url}hook`, severity_threshold: 3 };
    const { id } = await api.ask<{ id: string }>("POST", "/v1/issue-webhooks", wanted);
    const { id: sent } = await api.ask<{ id: string }>("POST", `/v1/issue-webhooks/${id}/test`);
    await tab.open(`/deliveries/${sent}`);
    await status(tab).getByText("Failed").waitFor();
    await tab.page.getByText("4 attempts failed; the last: HTTP 500").waitFor();
    await rowsOf(tab.part("attempt"), 4);
    await tab.part("attempt").first().getByText("beginning of the answer").click();
    await tab.part("attempt").first().getByText("<h1>out of order</h1>").waitFor();

    await tab.page.getByRole("link", { name: wanted.url }).click();
    await status(tab).getByText("Failing").waitFor();
    await tab.page.getByText("Its last attempts failed").waitFor();
    broken.answer(() => 200);
    await tab.open(`/webhooks?tab=deliveries&state=dead&subscription_id=${id}`);
    await tab.row("issue.created").waitFor();
    await tab.part("redeliver-range").click();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("confirm").click();
    await tab.page.getByText("1 delivery is sent again").waitFor();
    await tab.part("empty").waitFor();
    expect(new Set(broken.received.map(({ body }) => body)).size).toBe(1);
    await tab.open(`/webhooks/${id}`);
    await status(tab).getByText("Active").waitFor();
  });

  test("a receiver that was away is offered what it missed once it answers again", async (tab) => {
    broken.answer(() => 503);
    const wanted = { url: `${broken.url}away`, severity_threshold: 3 };
    const { id } = await api.ask<{ id: string }>("POST", "/v1/issue-webhooks", wanted);
    const sendTest = () => api.ask<{ id: string }>("POST", `/v1/issue-webhooks/${id}/test`);
    for (let at = 0; at < 3; at += 1) await sendTest();
    await tab.open(`/webhooks/${id}`);
    await rowsOf(tab.part("deliveries").getByText("Failed", { exact: true }), 3);
    await status(tab).getByText("Failing").waitFor();
    expect(await tab.part("missed-offer").count()).toBe(0);

    broken.answer(() => 200);
    const before = broken.received.length;
    await tab.part("test-webhook").click();
    await tab.open(`/webhooks/${id}`);
    const offer = tab.part("missed-offer");
    await offer.getByText(/^3 deliveries between .+ and .+ did not arrive\.$/).waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("send-missed").click();
    await tab.page.getByText("3 deliveries are sent again").waitFor();
    await rowsOf(tab.part("deliveries").getByText("Delivered"), 4);
    await rowsOf(offer, 0);
    expect(broken.received.length - before).toBe(4);
  });

  test("a receiver that is gone is disabled, says how to go on, and what it missed can be left", async (tab) => {
    broken.answer(() => 410);
    const wanted = { url: `${broken.url}gone`, severity_threshold: 3 };
    const { id } = await api.ask<{ id: string }>("POST", "/v1/issue-webhooks", wanted);
    await api.ask("POST", `/v1/issue-webhooks/${id}/test`);
    await tab.open(`/webhooks/${id}`);
    await status(tab).getByText("Disabled").waitFor();
    await tab.page.getByText(/the receiver answered 410.*enable it to go on/).waitFor();
    expect(await tab.part("missed-offer").count()).toBe(0);
    await tab.page.getByRole("button", { name: "Enable" }).click();
    await status(tab).getByText("Active").waitFor();
    await tab
      .part("missed-offer")
      .getByText(/1 delivery.* did not arrive/)
      .waitFor();
    await tab.part("leave-missed").click();
    await rowsOf(tab.part("missed-offer"), 0);
    await tab.open(`/webhooks/${id}`);
    await tab.part("deliveries").getByText("Failed").waitFor();
    await tab.part("health").waitFor();
    expect(await tab.part("missed-offer").count()).toBe(0);
  });

  test(
    "a project on a phone, with its issues, runs and scans; nothing is wider than the screen",
    async (tab) => {
      await tab.open("/issues?tab=projects");
      await tab.row("this Berth").click();
      await tab.part("project-issues").getByText("has no items").waitFor();
      await tab.part("scans").getByText("Success").first().waitFor();
      expect(await tab.barriers()).toEqual([]);
      const places = ["/issues", "/webhooks?tab=deliveries"];
      for (const place of places) {
        await tab.open(place);
        await tab.part("table-row").first().waitFor();
        const tooMuch = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([place, tooMuch]).toEqual([place, 0]);
      }
    },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  );

  test("what a link names is found in whichever workspace of the key it is", async (tab) => {
    const { id } = await api.ask<{ id: string }>("POST", "/v1/workspaces", { name: "elsewhere" });
    const response = await fetch(`${served.url}/v1/issue-webhooks`, {
      method: "POST",
      headers: { "x-api-key": KEY, "x-tenant-id": id, "content-type": "application/json" },
      body: JSON.stringify({ url: `${receiver.url}elsewhere`, severity_threshold: 0 }),
    });
    const hook: { id: string } = await response.json();
    await tab.page.goto(`${served.url}/console/webhooks/${hook.id}`);
    await tab.page.getByTestId("page-title").getByText("elsewhere").waitFor();
    await tab.page.getByText("This is in the workspace elsewhere").waitFor();
    // The browser tells of the answer that it was not here.
    tab.troubles.splice(0);
  });
});
