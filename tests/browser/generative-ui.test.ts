import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { until } from "../e2e/condition.ts";
import { SHAPES } from "../e2e/shapes/shapes.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { barriers } from "./axe.ts";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

/** A folder for pictures of components, for people to look at. */
const SHOTS = process.env.BERTH_SHOTS;

/** Neither the light card nor one that has no style at the moment. */
const isDark = (colour: string) => colour.startsWith("oklch(0.2") || colour === "rgb(30, 41, 59)";

describeInBrowser("components of a project", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-ui-"));
  const project = join(folder, "project");
  beforeAll(async () => {
    const shape = SHAPES.find(({ name }) => name === "generative-ui");
    await shape?.copy(project);
    await shape?.install(project);
  }, TEST_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const chat = servedChat({ project });

  const componentOf = (tab: ChatTab, place = 0): FrameLocator =>
    tab.part("component").nth(place).frameLocator("iframe");

  chat.test("are drawn under their message, with the project's Tailwind, state and submit", async (tab) => {
    await tab.open();
    await tab.ask("hello");
    await tab.ask("What is the weather?");
    const card = componentOf(tab);
    await card.getByTestId("facts").getByText("21°, 4 messages, as weather").waitFor();
    expect(await tab.answers.last().getByTestId("component").count()).toBe(1);
    expect(await tab.part("component").count()).toBe(1);
    await card.getByTestId("count").click();
    await card.getByText("1 clicks").waitFor();

    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, "component-light.png") });
    const colours = () =>
      card.locator(".card").evaluate((one) => {
        const { borderTopWidth, backgroundColor, boxShadow } = getComputedStyle(one);
        return { borderTopWidth, backgroundColor, shadow: boxShadow !== "none" };
      });
    const light = await colours();
    expect(light).toMatchObject({ borderTopWidth: "1px", shadow: true });
    await tab.page.emulateMedia({ colorScheme: "dark" });
    const dark = await until("the card to be dark", colours, ({ backgroundColor }) =>
      isDark(backgroundColor),
    );
    expect(dark).toMatchObject({ borderTopWidth: "1px", shadow: true });
    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, "component-dark.png") });

    expect(await barriers(tab.page)).toEqual([]);

    await card.getByTestId("more").click();
    await tab.lastText.getByText("I have read 5 messages").waitFor();
    await tab.rests();
    expect((await tab.stored()).at(-2)).toMatchObject({ type: "human", content: "More about Lisbon" });
    await card.getByText("6 messages").waitFor();
    // Neither what was clicked nor the place of the card is lost.
    await card.getByText("1 clicks").waitFor();
    expect(await tab.answers.nth(1).getByTestId("component").count()).toBe(1);
    await tab.page.reload();
    await componentOf(tab).getByTestId("facts").getByText("21°, 6 messages").waitFor();
    await tab.page.setViewportSize({ width: 390, height: 844 });
    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, "component-phone.png") });
    const isWide = () => tab.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await isWide()).toBe(false);
  });

  chat.test("follow the theme that is chosen in the chat", async (tab) => {
    await tab.open();
    await tab.ask("What is the weather?");
    const colour = () =>
      componentOf(tab)
        .locator(".card")
        .evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(isDark(await colour())).toBe(false);
    await tab.page.evaluate(() => {
      document.documentElement.dataset.theme = "dark";
    });
    await until("the component to be dark", colour, isDark);
  });

  chat.test("have no hold of the page or of whoever is signed in to it", async (tab) => {
    await tab.open();
    await tab.ask("What is the weather?");
    await componentOf(tab).getByTestId("city").waitFor();
    const [, frame] = tab.page.frames();
    const tries = await frame?.evaluate(async (server) => {
      const denied = async (act: () => unknown) => {
        try {
          await act();
          return false;
        } catch {
          return true;
        }
      };
      return {
        origin: window.origin,
        page: await denied(() => parent.document.title),
        cookie: await denied(() => globalThis.document.cookie),
        storage: await denied(() => localStorage.length),
        api: await denied(() => fetch(`${server}/threads`, { method: "POST", body: "{}" })),
      };
    }, tab.url);
    expect(tries).toEqual({ origin: "null", page: true, cookie: true, storage: true, api: true });
    // The refusal of that request, which the page's console tells.
    expect(tab.troubles.splice(0).join()).toContain("Content Security Policy");
    const { headers } = await fetch(`${tab.url}/chat/component`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).not.toContain("allow-same-origin");
    expect(policy).toContain("frame-ancestors 'self'");
  });

  chat.test("that cannot be drawn say why, and the conversation goes on", async (tab) => {
    await tab.open();
    await tab.ask("something faulty");
    await tab.page.getByText("is not shown: the graph has no component of the name").waitFor();
    await tab.page.getByText("is not shown: this component has a mistake").waitFor();
    expect(await tab.answers.getByTestId("component").count()).toBe(2);
    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, "component-faults.png") });
    tab.troubles.splice(0);
    await tab.ask("hello");
    await tab.lastText.getByText("I have read 3 messages").waitFor();
  });

  chat.test("are drawn by the official loader on a page elsewhere, as Agent Chat UI does it", async (tab) => {
    const { outputs } = await Bun.build({
      entrypoints: [join(import.meta.dir, "generative-ui", "official-page.tsx")],
      target: "browser",
      define: { "process.env.NODE_ENV": '"production"' },
    });
    await using pages = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1" },
      fetch: ({ url }) =>
        url.endsWith(".js")
          ? new Response(outputs[0])
          : new Response(
              '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
              { headers: { "content-type": "text/html; charset=utf-8" } },
            ),
    });
    await tab.page.goto(`${pages.url}?url=${tab.url}`);
    await tab.page.getByRole("button", { name: "Ask" }).click();
    const card = tab.page.locator('[data-part="ai"]');
    // The engine looks into open shadow roots.
    await card.getByTestId("facts").getByText("21°, 2 messages, as weather").waitFor();
    expect(
      await card
        .locator(".card")
        .evaluate((one) => [one.getRootNode() instanceof ShadowRoot, getComputedStyle(one).borderTopWidth]),
    ).toEqual([true, "1px"]);
    await card.getByTestId("more").click();
    await tab.page.getByText("I have read 3 messages").waitFor();
  });
});
