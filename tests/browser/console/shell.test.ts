import { beforeAll, expect } from "bun:test";
import { until } from "../../e2e/condition.ts";
import { cuttingProxy } from "../../e2e/cutting-proxy.ts";
import type { Deployment } from "../../e2e/deployment-api.ts";
import { describeInBrowser } from "../offline-browser.ts";
import { ConsoleTab } from "./console-tab.ts";
import { servedConsole } from "./served-console.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Nobody listens there. */
const NO_REPOSITORY = "http://127.0.0.1:9/me/none.git";

describeInBrowser("the console", () => {
  const console = servedConsole();
  const { api } = console;
  let greeter: Deployment;

  beforeAll(async () => {
    const broken = await api.ask<Deployment>("POST", "/v2/deployments", {
      ...{ name: "invoices", source: "github", source_config: { repo_url: NO_REPOSITORY }, secrets: [] },
      source_revision_config: { repo_ref: "main", langgraph_config_path: "graph.json" },
    });
    greeter = await api.fromTemplate("greeter");
    await api.settled(greeter.id, greeter.latest_revision_id);
    const secrets = [{ name: "GREETING", value: "hello" }];
    const changed = await api.ask<Deployment>("PATCH", `/v2/deployments/${greeter.id}`, { secrets });
    await api.settled(greeter.id, changed.latest_revision_id);
    await api.settled(broken.id, broken.latest_revision_id);
  });

  /** Runs of a project that failed for one reason, and what the engine makes of them. */
  const fail = async (message: string) => {
    const now = new Date().toISOString();
    const post = Array.from({ length: 5 }, () => {
      const id = Bun.randomUUIDv7();
      const dotted_order = `${now.replace(/[-:.]/g, "").slice(0, 15)}000000Z${id}`;
      return {
        ...{ id, trace_id: id, dotted_order, name: "agent", run_type: "chain", session_name: "shop" },
        ...{ start_time: now, end_time: now, inputs: {}, error: message },
      };
    });
    await api.ask("POST", "/langsmith/runs/batch", { post, patch: [] });
    await until(
      "the traces to be there",
      () => api.ask<{ resources: unknown[] }>("GET", "/v1/traces?error=drowned"),
      ({ resources }) => resources.length === post.length,
    );
    await api.ask("POST", "/v1/engine/scan");
  };

  console.test(
    "answers at one look: what runs, is it well, what broke, what changed, how to go back",
    async (tab) => {
      await tab.open();
      const row = tab.row("greeter");
      await row.getByText("Serving #2").waitFor();
      await tab.part("own-project").getByText("chat", { exact: true }).waitFor();
      await tab.part("broken-row").filter({ hasText: "invoices #1" }).getByText("Not created").waitFor();
      expect(await tab.part("change").allInnerTexts()).toHaveLength(3);
      await fail("Error: the captain drowned");
      await tab.part("broken-row").filter({ hasText: "the captain drowned" }).waitFor();
      expect(await tab.barriers()).toEqual([]);
      await row.getByTestId("roll-back").click();
      await tab.part("confirm").click();
      await row.getByText("Serving #1").waitFor();
      const { active_revision_id } = await api.deployment(greeter.id);
      expect(active_revision_id).toBe(greeter.latest_revision_id);
    },
  );

  console.test("comes to its first screen with less than 200 KB", async (tab) => {
    await tab.open();
    await tab.part("change").first().waitFor();
    const sizes = await tab.page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .concat(performance.getEntriesByType("navigation"))
        .map((entry) => (entry instanceof PerformanceResourceTiming ? entry.transferSize : 0)),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    process.stdout.write(
      `first screen of the console: ${Math.round(total / 1000)} KB in ${sizes.length} answers\n`,
    );
    expect(total).toBeGreaterThan(80_000);
    expect(total).toBeLessThan(200_000);
  });

  console.test("fetches the code of its screen while the server is asked who looks at it", async (tab) => {
    const { promise: isKnown, resolve: tell } = Promise.withResolvers<void>();
    await tab.page.route("**/console/api/session", async (route) => {
      await isKnown;
      await route.continue();
    });
    let scripts = 0;
    const isFetched = tab.page.waitForRequest((request) => {
      if (request.resourceType() === "script") scripts += 1;
      // The first is the console's own.
      return scripts > 1;
    });
    const isOpen = tab.open("/system");
    await isFetched;
    expect(await tab.part("page-title").count()).toBe(0);
    tell();
    await isOpen;
  });

  console.test("is walked by keys, and says where one is", async (tab) => {
    await tab.open();
    const { keyboard } = tab.page;
    await keyboard.press("Tab");
    await tab.page.getByText("Skip to the content").press("Enter");
    expect(await focused(tab)).toBe("screen");
    await keyboard.type("gs");
    await tab.part("tab-doctor").waitFor();
    expect([tab.place, await tab.page.title()]).toEqual(["/system", "System · Berth console"]);
    expect(await focused(tab)).toBe("screen");
    expect(await tab.part("nav-system").getAttribute("aria-current")).toBe("page");
    await keyboard.press("?");
    await tab.part("shortcut-sheet").getByText("Deployments").waitFor();
    // Nothing is walked to behind a dialog.
    await keyboard.type("gk");
    await keyboard.press("Escape");
    expect(tab.place).toBe("/system");
    await keyboard.press("Control+k");
    await tab.part("palette-input").fill("greet");
    await tab.part("palette-entry").getByText("greeter", { exact: true }).waitFor();
    expect(await tab.barriers()).toEqual([]);
    await keyboard.press("Enter");
    await tab.part("page-title").getByText("greeter").waitFor();
    await tab.page.goBack();
    await tab.part("tab-doctor").waitFor();
    await keyboard.type("gx");
    expect(tab.place).toBe("/system");
    await tab.page.goto(`${console.url}/console/nowhere/at/all`);
    await tab.part("empty").getByText("Page not found").waitFor();
  });

  console.test("makes, shows once and revokes keys", async (tab) => {
    await tab.open("/keys");
    await tab.part("new-key").first().click();
    await tab.part("key-name-field").fill("CI");
    expect(await tab.barriers()).toEqual([]);
    await tab.part("create-key").click();
    const secret = (await tab.part("secret").textContent()) ?? "";
    const called = await fetch(`${console.url}/v2/deployments`, { headers: { "x-api-key": secret } });
    expect(called.status).toBe(200);
    await tab.part("secret-kept").click();
    await tab.row("CI").waitFor();
    expect(await tab.page.content()).not.toContain(secret);
    expect(await tab.barriers()).toEqual([]);
    await tab.row("CI").getByText("operator").waitFor();
    await tab.row("CI").getByTestId("revoke").click();
    await tab.part("confirm").click();
    await tab.part("empty").waitFor();
    // Who it was stays known.
    await tab.part("deletions").getByText("CI", { exact: true }).waitFor();
    await tab.part("deletions").getByText("operator").waitFor();
    expect(await tab.barriers()).toEqual([]);
  });

  console.test("keeps workspaces apart, and makes and removes them", async (tab) => {
    await tab.open("/keys?tab=workspaces");
    await tab.part("new-workspace").click();
    await tab.part("workspace-name-field").fill("research");
    await tab.part("save-workspace").click();
    await tab.row("research").getByTestId("rename-workspace").click();
    await tab.part("workspace-name-field").fill("science");
    await tab.part("save-workspace").click();
    await tab.row("science").waitFor();
    await tab.part("workspace-switch").selectOption({ label: "science" });
    await tab.part("runs-here").getByText("Nothing is deployed").waitFor();
    await tab.part("all-well").waitFor();
    await tab.page.reload();
    await tab.part("all-well").waitFor();
    expect(await tab.row("greeter").count()).toBe(0);
    await tab.open("/keys?tab=workspaces");
    expect(await tab.barriers()).toEqual([]);
    await tab.row("science").getByTestId("delete-workspace").click();
    expect(await tab.part("confirm").isDisabled()).toBe(true);
    await tab.part("confirm-name").fill("science");
    await tab.part("confirm").click();
    await tab.row("science").waitFor({ state: "detached" });
    // What was looked at is gone, so the first one is again.
    await tab.row("default").getByText("Current").waitFor();
  });

  console.test("tells of the server, its doctor and what goes when", async (tab) => {
    await tab.open("/system");
    await tab.part("disk").getByText("are free").waitFor();
    await tab.page.getByRole("term").filter({ hasText: "Running runs" }).waitFor();
    await tab.part("members").getByText("front").first().waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("tab-doctor").click();
    await tab.part("finding").first().waitFor();
    expect(await tab.part("finding").count()).toBeGreaterThan(5);
    expect(await tab.barriers()).toEqual([]);
    await tab.part("tab-retention").click();
    await tab.row("TRACE_RETENTION_DAYS").first().waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("sweep").click();
    await tab.part("confirm").click();
    await tab.page.getByText(/ deleted in /).waitFor();
  });

  console.test(
    "asks who is there, and goes on where that was wanted",
    async (tab) => {
      const { id, secret } = await api.ask<{ id: string; secret: string }>("POST", "/v1/keys", {
        name: "Ada",
      });
      await tab.page.goto(`${console.url}/console/keys?tab=workspaces`);
      await tab.part("sign-in-key").fill("wrong");
      await tab.part("sign-in-submit").click();
      await tab.page.getByText("not valid").waitFor();
      await tab.part("sign-in-key").fill(secret);
      await tab.part("sign-in-submit").click();
      await tab.row("default").waitFor();
      // What is of the whole server is not for a workspace's key.
      await tab.part("nav-system").click();
      await tab.part("problem").getByText("a key for all workspaces").waitFor();
      await tab.part("to-chat").click();
      await tab.part("to-console").click();
      await tab.part("runs-here").waitFor();
      await tab.part("sign-out").click();
      await tab.part("sign-in-key").waitFor();
      await api.ask("DELETE", `/v1/keys/${id}`);
    },
    { signedOut: true },
  );

  console.test(
    "is a drawer and cards on a phone, in the dark too",
    async (tab) => {
      await tab.open();
      await tab.row("greeter").getByText("Serving").waitFor();
      expect(await overflow(tab)).toBeLessThanOrEqual(0);
      expect(await tab.barriers()).toEqual([]);
      await tab.part("show-navigation").click();
      expect(await tab.barriers()).toEqual([]);
      await tab.part("nav-system").click();
      await tab.part("disk").waitFor();
      await tab.part("navigation").waitFor({ state: "detached" });
      for (const path of ["/system", "/system?tab=retention", "/keys", "/keys?tab=workspaces"]) {
        await tab.open(path);
        await tab.part("table-row").or(tab.part("empty")).first().waitFor();
        expect([path, (await overflow(tab)) > 0]).toEqual([path, false]);
      }
    },
    { ...PHONE, colorScheme: "dark" },
  );

  console.test(
    "says when it has lost the server, and catches up when it is back",
    async ({ page, troubles }) => {
      let isThere = true;
      const proxy = await cuttingProxy(() => (isThere ? console.url : "http://127.0.0.1:9"));
      const tab = new ConsoleTab({ page, troubles }, proxy.url);
      await tab.open();
      await tab.row("greeter").waitFor();
      isThere = false;
      proxy.cut();
      await tab.part("connection-banner").getByText("Reconnecting").waitFor();
      const late = await api.ask<Deployment>("POST", "/v2/deployments", {
        ...{ name: "late", source: "internal_source", source_config: {}, secrets: [] },
        source_revision_config: { langgraph_config_path: "graph.json" },
      });
      isThere = true;
      await tab.row("late").waitFor();
      await api.delete(late.id);
      await tab.row("late").waitFor({ state: "detached" });
      await proxy.stop();
      // The requests of that time failed, as they should.
      troubles.splice(0);
    },
  );

  console.test("asks once more for what the browser dropped, and sends nothing twice", async (tab) => {
    const dropped = new Set<string>();
    const sent: string[] = [];
    await tab.page.route(/\/v[12]\//, async (route, request) => {
      if (request.method() !== "GET") sent.push(request.method());
      const what = `${request.method()} ${request.url()}`;
      // The stream of changes has a way of its own to come back.
      if (dropped.has(what) || STREAMS.test(request.url())) return await route.continue();
      dropped.add(what);
      await route.abort("failed");
    });
    await tab.open("/keys?tab=workspaces");
    await tab.row("default").waitFor();
    await tab.part("problem").waitFor({ state: "detached" });
    await tab.part("new-workspace").click();
    await tab.part("workspace-name-field").fill("dropped");
    await tab.part("save-workspace").click();
    await tab.page.getByText("does not answer").waitFor();
    expect(sent).toEqual(["POST"]);
    expect(dropped.size).toBeGreaterThan(1);
    tab.troubles.splice(0);
  });
});

/** What is followed, which has a way of its own to come back. */
const STREAMS = /\/(changes|activity)\b/;

const focused = (tab: ConsoleTab) => tab.page.evaluate(() => document.activeElement?.id);

/** By how much the page is wider than the window. */
const overflow = (tab: ConsoleTab) =>
  tab.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
