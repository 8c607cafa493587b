import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { TEST_LIMIT_MS } from "../limits.ts";
import { barriers } from "./axe.ts";
import { ChatTab } from "./chat-tab.ts";
import { LOOKS } from "./looks.ts";
import { describeInBrowser, openPage, type Watched } from "./offline-browser.ts";
import { DESKTOP, servedChat } from "./served-chat.ts";

/** A folder for pictures of the screens, for people to look at. */
const SHOTS = process.env.BERTH_SHOTS;

/** Shows a screen in all looks, or those of one size: nothing may keep a person from using it in any of them. */
async function inspect(
  tab: ChatTab,
  name: string,
  show: () => Promise<unknown>,
  only?: "desk" | "phone",
): Promise<void> {
  const found: string[] = [];
  const looks = LOOKS.filter(({ on }) => only === undefined || on === only);
  if (looks[0]) await tab.page.setViewportSize(looks[0]);
  await show();
  for (const { on, colorScheme, ...size } of looks) {
    await tab.page.setViewportSize(size);
    await tab.page.emulateMedia({ colorScheme });
    await settled(tab.page);
    const lines = await barriers(tab.page);
    found.push(...lines.map((line) => `${name}, ${on}, ${colorScheme}: ${line}`));
    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, `${name}-${on}-${colorScheme}.png`) });
  }
  expect(found).toEqual([]);
}

/** Waits until no colour is on its way to another. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const changes = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
}

describeInBrowser("nobody is kept from using", () => {
  const chat = servedChat();
  let path = "";
  let opened: Watched & AsyncDisposable;
  beforeAll(async () => {
    opened = await openPage(chat.browser, DESKTOP);
    const tab = new ChatTab(opened, chat.url);
    await tab.open();
    await tab.ask("What is the weather in Lisbon?");
    await tab.ask("Research how a deep agent works");
    path = tab.path;
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  /** In one tab for all: each starts with an address of its own. */
  const inspected = (name: string, use: (tab: ChatTab) => Promise<void>) =>
    test(
      name,
      async () => {
        await use(new ChatTab(opened, chat.url));
        expect(opened.troubles).toEqual([]);
      },
      TEST_LIMIT_MS,
    );

  inspected("an empty chat", (tab) => inspect(tab, "empty", () => tab.open()));

  inspected("the search", (tab) =>
    inspect(tab, "palette", async () => {
      await tab.open();
      await tab.page.keyboard.press("Control+k");
      await tab.part("palette").waitFor();
    }),
  );

  inspected("a conversation with tools and subagents", (tab) =>
    inspect(tab, "conversation", async () => {
      await tab.open(path);
      await tab.part("subagent-card").nth(1).waitFor();
      await tab.part("tool-call").first().locator("summary").click();
    }),
  );

  inspected("a subagent's conversation", (tab) =>
    inspect(tab, "subagent", async () => {
      await tab.open(path);
      await tab.part("subagent-card").first().click();
      await tab.part("subagent-view").getByText("Notes of the offline researcher").waitFor();
    }),
  );

  inspected("the history", (tab) =>
    inspect(tab, "history", async () => {
      await tab.open(path);
      await tab.part("open-history").click();
      await tab.part("history-item").filter({ hasText: "messages" }).first().click();
      await tab.part("state-diff").waitFor();
    }),
  );

  inspected("a question of the agent, and the list of conversations", async (tab) => {
    await tab.open();
    await tab.say("Send an email to ada@example.com about the launch");
    await tab.part("interrupt-form").waitFor();
    const asked = tab.path;
    await inspect(tab, "question", async () => {
      await tab.open(asked);
      await tab.part("interrupt-form").waitFor();
    });
    await tab.open(path);
    await inspect(tab, "list", () => tab.conversation("What is the weather in Lisbon?").waitFor(), "desk");
    await inspect(tab, "list", () => tab.part("open-sidebar").click(), "phone");
  });
});

describeInBrowser("nobody is kept from signing in", () => {
  const chat = servedChat({ env: { SERVICE_API_KEY: "the-key-of-this-test" } });

  chat.test("the sign-in page", (tab) =>
    inspect(tab, "sign-in", async () => {
      await tab.page.goto(tab.url);
      await tab.part("sign-in-key").waitFor();
    }),
  );
});

describeInBrowser("nobody is kept from choosing", () => {
  const chat = servedChat({ project: join(import.meta.dir, "project") });

  chat.test("the settings of an assistant", (tab) =>
    inspect(tab, "settings", async () => {
      await tab.open();
      await tab.part("assistant-picker").selectOption({ label: "host" });
      await tab.part("open-settings").click();
      await tab.part("context-save").waitFor();
    }),
  );
});
