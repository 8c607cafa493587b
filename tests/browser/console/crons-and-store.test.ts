import { beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { makeDue } from "../../e2e/cron-ticks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import { servedConsole } from "./served-console.ts";

/** A project whose store is searched by meaning, without a network. */
const PROJECT = join(import.meta.dir, "..", "..", "e2e", "memory-project");
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" as const };

type Cron = {
  cron_id: string;
  schedule: string;
  timezone: string;
  enabled: boolean;
  payload: { input: unknown };
};

describeInBrowser("crons and the store", () => {
  const served = servedConsole({ project: PROJECT });
  const { api } = served;
  /** A deployment whose store compares nothing by meaning. */
  let at: string;
  beforeAll(async () => {
    const { id, latest_revision_id } = await api.fromTemplate("helper");
    expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
    at = id;
    const put = (base: string, namespace: string[], key: string, value: object) =>
      api.ask("PUT", `${base}/store/items`, { namespace, key, value });
    for (const base of ["", `/d/${at}`]) {
      await put(base, ["users", "ada"], "drink", { text: "Ada drinks green tea in the morning" });
      await put(base, ["users", "ada"], "city", { text: "Ada lives in Lisbon" });
      await put(base, ["users", "bob"], "drink", { text: "Bob likes coffee" });
    }
  });

  const crons = () => api.ask<Cron[]>("POST", "/runs/crons/search", {});

  served.test("a cron is made, turned off and on, and deleted", async (tab) => {
    await tab.open("/crons");
    await tab.part("empty").getByText("No crons yet").waitFor();
    await tab.part("new-cron").first().click();
    await tab.part("cron-schedule").fill("30 8 * * 1-5");
    await tab.part("cron-dialog").getByText("Monday to Friday at 08:30").waitFor();
    await tab.part("cron-timezone").fill("Europe/Lisbon");
    await tab.part("cron-input").fill("{ half");
    await tab.part("cron-dialog").getByText("This is not valid JSON").waitFor();
    expect(await tab.part("cron-submit").isDisabled()).toBe(true);
    await tab.part("cron-input").fill('{"owner":"ada","query":"tea"}');
    expect(await tab.barriers()).toEqual([]);
    await tab.part("cron-submit").click();

    const row = tab.row("Monday to Friday at 08:30");
    await row.getByText("recall").waitFor();
    await row.getByText(/08:30 WES?T/).waitFor();
    expect(await crons()).toMatchObject([
      {
        schedule: "30 8 * * 1-5",
        timezone: "Europe/Lisbon",
        payload: { input: { owner: "ada", query: "tea" } },
      },
    ]);
    expect(await tab.barriers()).toEqual([]);
    // Its time comes; the page tells by itself, and leads to the run.
    makeDue(served.data, [(await crons())[0]?.cron_id ?? ""]);
    await row.getByTestId("cron-last-run").click();
    await tab.page.waitForURL(/\/console\/traces\/[0-9a-f-]{36}/);
    await tab.open("/crons");
    await row.getByTestId("cron-enabled").click();
    await row.getByText("disabled").waitFor();
    expect((await crons())[0]?.enabled).toBe(false);
    await tab.part("filter-state").selectOption("on");
    await tab.part("empty").getByText("No crons match").waitFor();
    await tab.part("filter-state").selectOption("off");
    await row.getByTestId("cron-enabled").click();
    await tab.part("filter-state").selectOption("");
    await row.getByText(/08:30 WES?T/).waitFor();
    await row.getByTestId("cron-menu").click();
    await row.getByTestId("cron-delete").click();
    await tab.part("confirm").click();
    await tab.part("empty").waitFor();
    expect(await crons()).toEqual([]);
  });

  served.test("a cron can be made also when the dialog was there before the assistants", async (tab) => {
    const asked = Promise.withResolvers<void>();
    await tab.page.route("**/assistants/search", async (route) => {
      await asked.promise;
      await route.continue();
    });
    await tab.open("/crons");
    await tab.part("new-cron").first().click();
    expect(await tab.part("cron-submit").isDisabled()).toBe(true);
    asked.resolve();
    await tab.part("cron-assistant").locator("option").first().waitFor({ state: "attached" });
    expect(await tab.part("cron-submit").isEnabled()).toBe(true);
  });

  served.test("a schedule that is none is refused in the server’s words", async (tab) => {
    await tab.open("/crons");
    await tab.part("new-cron").first().click();
    await tab.part("cron-schedule").fill("every day");
    await tab.part("cron-submit").click();
    await tab.part("cron-dialog").locator(".field-error").getByText("five fields").waitFor();
    await tab.part("cron-dialog").waitFor();
    // A browser reports each refusal as an error, this one too.
    expect(tab.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
  });

  served.test("the store is walked through, searched by meaning, and changed", async (tab) => {
    await tab.open("/store");
    await tab.part("namespace").filter({ hasText: "bob" }).waitFor();
    expect(await tab.part("namespace").allTextContents()).toEqual(["All namespaces", "users", "ada", "bob"]);
    await tab.part("item-key").nth(2).waitFor();
    await tab.part("namespace").filter({ hasText: "ada" }).click();
    await tab.row("Bob").waitFor({ state: "detached" });
    expect(tab.place).toBe("/store?ns=users.ada");
    await tab.part("filter-q").fill("what does she drink in the morning");
    await tab.page.getByText("By meaning, the best match first").waitFor();
    await tab.part("table-row").first().getByText("green tea").waitFor();
    expect(await tab.barriers()).toEqual([]);

    await tab.row("green tea").getByText("drink").first().click();
    expect(tab.place).toContain("item=drink&of=users.ada");
    expect(await tab.barriers()).toEqual([]);
    await tab.part("item-edit").click();
    await tab.part("item-value").fill('["no object"]');
    await tab.part("item-dialog").getByText("This must be a JSON object").waitFor();
    await tab.part("item-value").fill('{"text":"Ada drinks mate"}');
    await tab.part("item-save").click();
    await tab.part("json").getByText("mate").waitFor();
    await tab.page.reload();
    await tab.part("json").getByText("mate").waitFor();
    // The list is there again, too: a row that has not come yet is no row that is gone.
    await tab.row("mate").waitFor();
    await tab.part("item-delete").click();
    await tab.part("item-dialog").getByText("Delete it?").waitFor();
    await tab.part("item-delete").click();
    await tab.row("mate").waitFor({ state: "detached" });
    const { items } = await api.ask<{ items: { key: string }[] }>("POST", "/store/items/search", {
      namespace_prefix: ["users", "ada"],
    });
    expect(items.map(({ key }) => key)).toEqual(["city"]);
  });

  served.test("what is deleted while the list is on its way is not listed", async (tab) => {
    const item = { namespace: ["users", "eve"], key: "hat" };
    await api.ask("PUT", "/store/items", { ...item, value: { text: "Eve wears a hat" } });
    const [deleted, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await tab.page.route(
      "**/store/items/search",
      async (route) => {
        // The answer is from before the deletion, and comes behind it.
        const response = await route.fetch();
        read.resolve();
        await deleted.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await tab.open("/store?ns=users.eve&item=hat&of=users.eve");
    await read.promise;
    await tab.part("item-delete").click();
    await tab.part("item-delete").click();
    await tab.page.getByText("hat was deleted.").waitFor();
    deleted.resolve();
    await tab.part("empty").getByText("No items here").waitFor();
  });

  served.test(
    "of a deployment, on a phone: its own items, found by their text, and a new one",
    async (tab) => {
      await tab.open("/store");
      await tab.part("project-picker").selectOption({ label: "helper" });
      await tab.page.waitForURL((url) => url.searchParams.get("at") === at);
      await tab.row("green tea").waitFor();
      await tab.part("filter-q").fill("COFFEE");
      await tab.page.getByText("With this text").waitFor();
      await tab.row("green tea").waitFor({ state: "detached" });
      expect(await tab.part("item-key").count()).toBe(1);
      await tab.part("filter-q").fill("");
      await tab.part("new-item").click();
      await tab.part("item-namespace").fill("team.rules");
      await tab.part("item-new-key").fill("tone");
      await tab.part("item-value").fill('{"text":"Short, and kind"}');
      expect(await tab.barriers()).toEqual([]);
      await tab.part("item-submit").click();
      await tab.row("Short, and kind").waitFor();
      await tab.part("namespace").filter({ hasText: "rules" }).waitFor();
      const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
      expect(await tab.page.evaluate(beyond)).toBe(0);
      await tab.open(`/crons?at=${at}`);
      await tab.part("page-title").getByText("Crons").waitFor();
      expect(await tab.barriers()).toEqual([]);
    },
    PHONE,
  );
});
