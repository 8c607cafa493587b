import { expect } from "bun:test";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

/** The part of the chat that follows a thread. */
const LATER = "**/assets/opened-thread-*.js";

/** Holds back what follows a thread, as a slow network does. Gives what lets it through. */
async function heldBack({ page }: ChatTab): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(LATER, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

describeInBrowser("the first screen of the chat", () => {
  const chat = servedChat();

  chat.test("takes a message before what follows a thread is there, and sends it then, once", async (tab) => {
    const release = await heldBack(tab);
    await tab.open();
    await tab.part("example").first().waitFor();
    await tab.say("What is the weather in Lisbon?");
    expect(await tab.part("send").isDisabled()).toBe(true);
    expect(await tab.part("message-user").count()).toBe(0);
    release();
    await tab.answers.first().waitFor();
    await tab.rests();
    expect(await tab.part("composer-text").inputValue()).toBe("");
    const asked = (await tab.stored()).filter(({ type }) => type === "human");
    expect(asked.map(({ content }) => content)).toEqual(["What is the weather in Lisbon?"]);
  });

  chat.test(
    "keeps a message that cannot be sent, and says so, also where the conversation is read late",
    async (tab) => {
      await tab.open();
      await tab.ask("hello");
      const release = await heldBack(tab);
      const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
      await tab.page.route("**/state", async (route) => {
        await isRead;
        await route.continue();
      });
      await tab.page.route("**/commands", (route) =>
        route.fulfill({ status: 500, json: { detail: "There is no room" } }),
      );
      await tab.open(tab.path);
      const before = await tab.part("composer-text").elementHandle();
      await tab.say("What is the weather in Lisbon?");
      release();
      await before?.waitForElementState("hidden");
      // Until it is known what was said before, it waits where it was written.
      expect(await tab.part("composer-text").inputValue()).toBe("What is the weather in Lisbon?");
      expect(await tab.part("composer-text").isEditable()).toBe(false);
      read();
      await tab.part("error-box").getByText("There is no room", { exact: true }).waitFor();
      await tab.page.locator(".bubble", { hasText: "What is the weather in Lisbon?" }).waitFor();
      await tab.answers.first().waitFor();
      tab.troubles.length = 0;
      await tab.page.unroute("**/commands");
      await tab.part("retry").click();
      await tab.answers.nth(1).waitFor();
      await tab.rests();
      const asked = (await tab.stored()).filter(({ type }) => type === "human");
      expect(asked.map(({ content }) => content)).toEqual(["hello", "What is the weather in Lisbon?"]);
    },
  );

  chat.test("keeps what is being written, and the caret in it", async (tab) => {
    const release = await heldBack(tab);
    await tab.open();
    await tab.page.keyboard.type("Wher is it?");
    for (let back = 0; back < " is it?".length; back += 1) await tab.page.keyboard.press("ArrowLeft");
    const before = await tab.part("composer-text").elementHandle();
    release();
    await before?.waitForElementState("hidden");
    await tab.page.keyboard.type("e");
    expect(await tab.part("composer-text").inputValue()).toBe("Where is it?");
  });

  chat.test("leaves the focus where the reader has put it", async (tab) => {
    const release = await heldBack(tab);
    await tab.open();
    const before = await tab.part("composer-text").elementHandle();
    await tab.part("thread-search").focus();
    release();
    await before?.waitForElementState("hidden");
    await tab.page.keyboard.type("lisbon");
    expect(await tab.part("thread-search").inputValue()).toBe("lisbon");
  });

  chat.test("says it when the rest cannot be loaded, and comes back with the page", async (tab) => {
    const { promise, resolve: fail } = Promise.withResolvers<void>();
    await tab.page.route(LATER, async (route) => {
      await promise;
      await route.abort();
    });
    await tab.open();
    await tab.say("What is the weather in Lisbon?");
    fail();
    await tab.part("thread-broken").waitFor();
    tab.troubles.length = 0;
    await tab.page.unroute(LATER);
    await tab.part("thread-broken").getByRole("button").click();
    // It is there to be sent once more.
    await tab.part("composer-text").waitFor();
    expect(await tab.part("composer-text").inputValue()).toBe("What is the weather in Lisbon?");
    await tab.part("composer-text").press("Enter");
    await tab.answers.first().waitFor();
    await tab.rests();
  });
});
