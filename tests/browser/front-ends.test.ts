import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { template } from "../e2e/berth-process.ts";
import { until } from "../e2e/condition.ts";
import { servedBerth } from "../e2e/served-berth.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type FrontEnds, installFrontEnds } from "./front-ends/installed.ts";
import { describeInBrowser, launchOffline, noBrowser, openPage } from "./offline-browser.ts";

const KEY = "the-service-key-of-this-test";
const ASSISTANT = "approval";
const WEATHER = "It is 18 °C and sunny in Paris.";

const berth = servedBerth({ project: template("approval"), env: { SERVICE_API_KEY: KEY } });
let frontEnds: FrontEnds;
beforeAll(async () => {
  frontEnds = await installFrontEnds();
}, TEST_LIMIT_MS);
afterAll(() => frontEnds?.remove());

const PAGES = {
  "assistant-ui, LangGraph runtime": "assistant-ui-langgraph.tsx",
  "assistant-ui, LangChain runtime": "assistant-ui-langchain.tsx",
  "@langchain/svelte": "svelte.ts",
};

describeInBrowser("a page made with", () => {
  let browser: Browser;
  const scripts = new Map<string, string>();
  const pages = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: ({ url }) => {
      const script = scripts.get(new URL(url).pathname);
      if (script === undefined) return html(new URL(url).pathname);
      return new Response(script, { headers: { "content-type": "text/javascript; charset=utf-8" } });
    },
  });
  beforeAll(async () => {
    if (!noBrowser) browser = await launchOffline();
  });
  afterAll(async () => {
    await browser?.close();
    await pages.stop(true);
  });

  const html = (path: string) =>
    new Response(
      `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${path}</title>
<body><script type="module" src="${path}.js"></script>`,
      { headers: { "content-type": "text/html; charset=utf-8" } },
    );

  /** Opens a page of its own, on another origin than Berth's. */
  async function opened(file: string) {
    const path = `/${file.replace(/\..*/, "")}`;
    scripts.set(`${path}.js`, await frontEnds.page(file));
    const tab = await openPage(browser, { viewport: { width: 900, height: 900 } });
    const query = new URLSearchParams({ url: berth.url, key: KEY, assistant: ASSISTANT });
    await tab.page.goto(`${pages.url.origin}${path}?${query}`);
    return tab;
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.getByPlaceholder("Write").fill(text);
    // It cannot be sent as long as another answer is on its way.
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator('[data-part="human"]').getByText(text).waitFor();
  }
  const answered = (page: Page, text: string) =>
    page.locator('[data-part="answer"]').getByText(text).last().waitFor();
  const question = (page: Page) => page.locator('[data-part="question"]');

  test.each(Object.entries(PAGES))("%s: talks, shows tools, asks and goes on", async (_, file) => {
    await using tab = await opened(file);
    const { page } = tab;
    await say(page, "what is the weather in Paris?");
    await answered(page, `The weather tool says: ${WEATHER}`);
    await page.locator('[data-part="tool"]').getByText(WEATHER).waitFor();
    await say(page, "hello again");
    await answered(page, "You wrote “hello again”");

    await say(page, "send an email to ada@example.com");
    await question(page).getByText("action_requests").waitFor();
    await question(page).getByRole("button").click();
    await answered(page, "The email went out.");
    await question(page).waitFor({ state: "detached" });
    expect(await page.locator('[data-part="human"]').count()).toBe(3);
    expect(tab.troubles).toEqual([]);
  });

  test.each(Object.entries(PAGES))("%s: a message typed while a question is open counts", async (_, file) => {
    await using tab = await opened(file);
    const { page } = tab;
    await say(page, "send an email to ada@example.com");
    await question(page).waitFor();
    await say(page, "never mind, hello");
    await answered(page, "You wrote “never mind, hello”");
    await question(page).waitFor({ state: "detached" });
    expect(tab.troubles).toEqual([]);
  });
});

describe("AG-UI", () => {
  type Event = {
    what: string;
    type?: string;
    name?: string;
    value?: string;
    delta?: string;
    content?: string;
  };

  test("talks, shows tools, asks and goes on, on one thread", async () => {
    const events = await frontEnds.client<Event>("ag-ui.ts", berth.url, KEY, ASSISTANT);
    const of = (what: string, type: string) =>
      events.filter((event) => event.what === what && event.type === type);
    const text = (what: string) => of(what, "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);
    expect(text("first").length).toBeGreaterThan(10);
    expect(text("first").join("")).toEndWith(WEATHER);
    expect(of("first", "TOOL_CALL_RESULT").map(({ content }) => content)).toEqual([WEATHER]);
    const [asked] = of("second", "CUSTOM").filter(({ name }) => name === "on_interrupt");
    expect(JSON.parse(asked?.value ?? "{}")).toMatchObject({ action_requests: [{ name: "send_email" }] });
    expect(text("resumed").join("")).toContain("The email went out.");
    for (const what of ["first", "second", "resumed"]) {
      expect(of(what, "RUN_FINISHED")).toHaveLength(1);
      expect(of(what, "RUN_ERROR")).toEqual([]);
    }
    const threads = events.flatMap((event) => ("threadId" in event ? [event.threadId] : []));
    expect(new Set(threads).size).toBe(1);
  });
});

describe("the AI SDK's transport", () => {
  type Chunk = { what: string; type?: string; delta?: string; output?: string; errorText?: string };

  test("talks and shows tools, without a thread; a question ends the answer as an error", async () => {
    const before = await threadsHere();
    const chunks = await frontEnds.client<Chunk>("ai-sdk.ts", berth.url, KEY, ASSISTANT);
    const of = (what: string, type: string) =>
      chunks.filter((chunk) => chunk.what === what && chunk.type === type);
    const weather = "what is the weather in Paris?";
    expect(of(weather, "text-delta").length).toBeGreaterThan(10);
    expect(of(weather, "tool-output-available").map(({ output }) => output)).toEqual([WEATHER]);
    const told = of("hello again", "text-delta").map(({ delta }) => delta);
    expect(told.join("")).toContain("You wrote “hello again”");
    const [refused] = of("send an email to ada@example.com", "error");
    expect(refused?.errorText).toContain("Shall I run send_email?");
    // A run without a thread leaves none.
    await until("the threads of its runs to go", async () => (await threadsHere()) === before);
  });

  async function threadsHere(): Promise<number> {
    const headers = { "x-api-key": KEY, "content-type": "application/json" };
    const answer = await fetch(`${berth.url}/threads/count`, { method: "POST", headers, body: "{}" });
    return Number(await answer.text());
  }
});
