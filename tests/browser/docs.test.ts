import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { template } from "../e2e/berth-process.ts";
import { until } from "../e2e/condition.ts";
import { servedBerth } from "../e2e/served-berth.ts";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../limits.ts";
import {
  describeInBrowser,
  launchOffline,
  noBrowser,
  OUTSIDE_NAME,
  openPage,
  type Watched,
} from "./offline-browser.ts";

/** On a busy machine Swagger UI reads the document for half a minute. */
const SLOWLY = { timeout: WAIT_LIMIT_MS };

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await launchOffline();
});
afterAll(() => browser?.close());

/** The part of the page that is about one operation, its group opened; `id` is its `operationId`. */
async function operation(page: Page, tag: string, id: string): Promise<Locator> {
  await page.locator(`[id="operations-tag-${tag}"]`).click();
  return page.locator(`[id="operations-${tag}-${id}"]`);
}

/** Opens an operation and sends its request as the page suggests it; gives the part with the answer. */
async function execute(part: Locator): Promise<Locator> {
  if ((await part.getByRole("button", { name: "Execute" }).count()) === 0)
    await part.locator(".opblock-summary-control").click();
  await part.getByRole("button", { name: "Execute" }).click();
  return part.locator(".live-responses-table .response");
}

const isDark = (page: Page) => page.evaluate("document.documentElement.classList.contains('dark-mode')");

describeInBrowser("without the internet", () => {
  const berth = servedBerth({ project: template("deep-agent") });
  // One page for all: Swagger UI takes seconds to read the document.
  let opened: Watched & AsyncDisposable;
  beforeAll(async () => {
    opened = await openPage(browser, { colorScheme: "light" });
    await opened.page.goto(`${berth.url}/docs`);
    await opened.page.locator(".opblock-tag").first().waitFor(SLOWLY);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test(
    "/docs shows every operation in its group, and asks nobody else for anything",
    async () => {
      const { paths, tags }: OpenApi = await (await fetch(`${berth.url}/openapi.json`)).json();
      const tagged = Object.values(paths).flatMap((path) => Object.values(path).map((one) => one.tags[0]));
      const { page, troubles } = opened;
      const groups = page.locator(".opblock-tag-section");
      await groups.first().waitFor();
      expect(await page.title()).toBe("Berth API");
      const names = tags.map(({ name }) => name);
      expect(await page.locator(".opblock-tag a.nostyle").allInnerTexts()).toEqual(names);
      for (const [at, name] of names.entries()) {
        const header = groups.nth(at).locator(".opblock-tag");
        await header.click();
        const count = tagged.filter((tag) => tag === name).length;
        const operations = groups.nth(at).locator(".opblock");
        await operations.nth(count - 1).waitFor();
        expect({ name, count: await operations.count() }).toEqual({ name, count });
        await header.click();
      }
      expect(tagged.filter((tag) => tag === undefined || !names.includes(tag))).toEqual([]);
      expect(troubles).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "a request is sent from the page, and its answer shown",
    async () => {
      const { page, troubles } = opened;
      const info = await execute(await operation(page, "System", "get_info"));
      await info.getByText('"langgraph_js_version"').waitFor();
      expect(await info.locator(".response-col_status").textContent()).toContain("200");
      const run = await execute(await operation(page, "Stateless_Runs", "post_runs_wait"));
      await run.getByText("Lisbon").first().waitFor();
      expect(await run.locator(".response-col_status").textContent()).toContain("200");
      expect(troubles).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test("the colours are those that the system prefers, also when it changes its mind", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await opened.page.emulateMedia({ colorScheme });
      // The page hears of it a moment later.
      const isSo = async () => (await isDark(opened.page)) === (colorScheme === "dark");
      await until(`the colours to be ${colorScheme}`, isSo);
    }
  });
});

describeInBrowser("on a server with a key, under a name of the network", () => {
  const key = "the-key-of-this-test";
  const berth = servedBerth({ env: { SERVICE_API_KEY: key } });
  const url = () => berth.url.replace("127.0.0.1", OUTSIDE_NAME);

  test(
    "the page is led to the sign-in, and shows nothing before it",
    async () => {
      await using opened = await openPage(browser);
      await opened.page.goto(`${url()}/docs`);
      await opened.page.getByTestId("sign-in-key").fill("wrong");
      await opened.page.getByTestId("sign-in-submit").click();
      await opened.page.getByText("not valid").first().waitFor();
      expect(await opened.page.locator("#swagger-ui").count()).toBe(0);
    },
    TEST_LIMIT_MS,
  );

  test(
    "requests from the page are those of whoever signed in, or have the key that it is given",
    async () => {
      await using opened = await openPage(browser, { colorScheme: "dark" });
      const { page, troubles } = opened;
      await page.goto(`${url()}/docs`);
      await page.getByTestId("sign-in-key").fill(key);
      await page.getByTestId("sign-in-submit").click();
      await page.locator(".opblock-tag").first().waitFor(SLOWLY);
      expect(await isDark(page)).toBe(true);
      const count = await operation(page, "Threads", "post_threads_count");
      const status = (block: Awaited<ReturnType<typeof execute>>, code: string) =>
        block.locator(".response-col_status", { hasText: code }).waitFor();
      await status(await execute(count), "200");
      await page.getByRole("button", { name: "Authorize" }).first().click();
      await page.locator("#api_key_value").first().fill("wrong");
      await page.getByRole("button", { name: "Apply credentials" }).first().click();
      await page.getByRole("button", { name: "Close" }).first().click();
      await (await execute(count)).getByText("Invalid API key").first().waitFor();
      expect(troubles).toEqual([]);
    },
    TEST_LIMIT_MS,
  );
});

type OpenApi = { paths: Record<string, Record<string, { tags: string[] }>>; tags: { name: string }[] };
