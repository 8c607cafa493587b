import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { template } from "../e2e/berth-process.ts";
import { servedBerth } from "../e2e/served-berth.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { barriers } from "./axe.ts";
import {
  describeInBrowser,
  launchOffline,
  noBrowser,
  OUTSIDE_NAME,
  openPage,
  type Watched,
} from "./offline-browser.ts";

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await launchOffline();
});
afterAll(() => browser?.close());

/** Opens an operation by its `operationId`; gives what the page shows of it. */
async function opened(page: Page, id: string): Promise<Locator> {
  const entry = page.locator(`[id="${id}"]`);
  const line = entry.getByRole("button").first();
  // What came before may still grow, and move the line away from under a click.
  if ((await line.getAttribute("aria-expanded")) === "false") await line.press("Enter");
  await entry.getByTestId("docs-detail").waitFor();
  return entry;
}

/** Sends the request of an operation as the page suggests it; gives the answer. */
async function answered(page: Page, id: string): Promise<Locator> {
  const entry = await opened(page, id);
  await entry.getByTestId("docs-send").click();
  return entry.getByTestId("docs-answer");
}

describeInBrowser("the page of the API", () => {
  const berth = servedBerth({ project: template("deep-agent") });
  let tab: Watched & AsyncDisposable;
  beforeAll(async () => {
    tab = await openPage(browser, { colorScheme: "light", viewport: { width: 1440, height: 900 } });
  });
  afterAll(() => tab?.[Symbol.asyncDispose]());
  const start = async (path = "/docs") => {
    await tab.page.goto("about:blank");
    await tab.page.goto(berth.url + path);
    await tab.page.getByTestId("docs-operation").first().waitFor();
    return tab.page;
  };

  test(
    "shows every operation in its group, and asks nobody else for anything",
    async () => {
      const { paths, tags }: OpenApi = await (await fetch(`${berth.url}/openapi.json`)).json();
      const listed = Object.values(paths).flatMap((path) => Object.values(path));
      const page = await start();
      expect(await page.title()).toBe("Berth API");
      const shown = await page
        .getByTestId("docs-group")
        .evaluateAll((groups) =>
          groups.map((group) => [
            group.querySelector("h2")?.textContent,
            [...group.querySelectorAll("[data-testid=docs-operation]")].map(({ id }) => id),
          ]),
        );
      const wanted = tags.map(({ name }) => [
        name,
        listed.filter((one) => one.tags[0] === name).map(({ operationId }) => operationId),
      ]);
      expect(shown).toEqual(wanted);
      expect(tab.troubles).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test("a request is sent from the page, and its answer shown, also one that comes bit by bit", async () => {
    const page = await start();
    const info = await answered(page, "get_info");
    await info.getByText('"langgraph_js_version"').waitFor();
    expect(await info.getByRole("status").textContent()).toContain("200");
    const run = await answered(page, "post_runs_wait");
    await run.getByText("Lisbon").first().waitFor();
    const stream = await answered(page, "post_runs_stream");
    await stream.getByText("event: updates").first().waitFor();
    expect(await stream.getByRole("status").textContent()).toContain("text/event-stream");
    expect(tab.troubles).toEqual([]);
  });

  test("what is missing is said, and goes into the address and the command", async () => {
    const page = await start("/docs#get_threads_thread_id");
    const entry = await opened(page, "get_threads_thread_id");
    expect(await entry.getByTestId("docs-send").isDisabled()).toBe(true);
    await entry.getByTestId("docs-parameter-thread_id").fill("no-thread");
    expect(await entry.getByTestId("docs-curl").textContent()).toBe(`curl '${berth.url}/threads/no-thread'`);
    await entry.getByTestId("docs-send").click();
    await entry.getByTestId("docs-answer").getByText("422").waitFor();
    // The browser tells its console of each refusal; this one was wanted.
    tab.troubles.length = 0;
  });

  test("operations are found by their words, and the chat and the console from here", async () => {
    const page = await start();
    await page.getByTestId("docs-search").fill("cron search");
    await page.locator("[id=post_runs_crons_search]").waitFor();
    expect(await page.getByTestId("docs-group").count()).toBe(1);
    expect(await page.getByTestId("to-chat").getAttribute("href")).toBe("/");
    await page.getByTestId("to-console").click();
    await page.getByTestId("page-title").waitFor();
  });

  test("is the same with a slash behind its address, and where the control plane has its second one", async () => {
    for (const path of ["/docs/", "/api-host/docs"]) {
      const page = await start(path);
      await (await answered(page, "get_info")).getByText('"langgraph_js_version"').waitFor();
    }
    expect(tab.troubles).toEqual([]);
  });

  test("is there in Swagger UI, too", async () => {
    const page = await start();
    await page.getByRole("link", { name: "Swagger UI" }).click();
    await page.locator(".opblock-tag").first().waitFor();
    expect(tab.troubles).toEqual([]);
  });

  test.each([
    ["light", 1440],
    ["dark", 390],
  ] as const)("keeps nobody from using it, %s at %i pixels", async (colorScheme, width) => {
    await using own = await openPage(browser, { colorScheme, viewport: { width, height: 900 } });
    await own.page.goto(`${berth.url}/docs#post_threads_thread_id_runs_wait`);
    await opened(own.page, "post_threads_thread_id_runs_wait");
    expect(await barriers(own.page)).toEqual([]);
    const wide = await own.page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(wide).toBe(false);
  });
});

describeInBrowser("the page of the API on a server with a key, under a name of the network", () => {
  const key = "the-key-of-this-test";
  const berth = servedBerth({ env: { SERVICE_API_KEY: key } });
  const url = () => berth.url.replace("127.0.0.1", OUTSIDE_NAME);

  test(
    "leads to the sign-in, and shows nothing before it",
    async () => {
      await using tab = await openPage(browser);
      await tab.page.goto(`${url()}/docs`);
      await tab.page.getByTestId("sign-in-key").fill("wrong");
      await tab.page.getByTestId("sign-in-submit").click();
      await tab.page.getByText("not valid").first().waitFor();
      expect(await tab.page.getByTestId("docs-operation").count()).toBe(0);
    },
    TEST_LIMIT_MS,
  );

  test(
    "sends requests as whoever signed in, or with the key that it is given; so does the command",
    async () => {
      await using tab = await openPage(browser, { colorScheme: "dark" });
      const { page, troubles } = tab;
      await page.goto(`${url()}/docs`);
      await page.getByTestId("sign-in-key").fill(key);
      await page.getByTestId("sign-in-submit").click();
      await page.getByTestId("docs-operation").first().waitFor();
      const answer = await answered(page, "post_threads_count");
      await answer.getByText("200").first().waitFor();
      const command = page.getByTestId("docs-curl");
      expect(await command.textContent()).toContain('-H "x-api-key: $BERTH_API_KEY"');
      await page.getByTestId("docs-key").fill("wrong");
      expect(await command.textContent()).toContain("-H 'x-api-key: wrong'");
      await (await answered(page, "post_threads_count")).getByText("Invalid API key").waitFor();
      expect(troubles).toEqual([]);
    },
    TEST_LIMIT_MS,
  );
});

type OpenApi = {
  paths: Record<string, Record<string, { tags: string[]; operationId: string }>>;
  tags: { name: string }[];
};
