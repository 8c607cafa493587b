import { expect } from "bun:test";
import { join } from "node:path";
import { ChatTab } from "./chat-tab.ts";
import { describeInBrowser, OUTSIDE_NAME } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

const KEY = "the-key-of-this-test";

describeInBrowser("a server with a key", () => {
  const chat = servedChat({ env: { SERVICE_API_KEY: KEY } });

  chat.test(
    "asks for it, refuses a wrong one, remembers the right one, and forgets it when told",
    async (first) => {
      const url = chat.url.replace("127.0.0.1", OUTSIDE_NAME);
      const tab = new ChatTab(first, url);
      const { page } = tab;
      await page.goto(`${url}/`);
      await page.getByLabel("API key").waitFor();
      await tab.part("sign-in-key").fill("a-wrong-key");
      await tab.part("sign-in-submit").click();
      await page.getByText("This key is not valid").waitFor();
      await tab.part("sign-in-key").fill(KEY);
      await tab.part("sign-in-submit").click();
      await tab.part("composer-text").waitFor();
      await tab.ask("hello");
      const path = tab.path;
      expect(await page.context().cookies()).toMatchObject([
        { name: "berth_session", httpOnly: true, sameSite: "Strict" },
      ]);
      await page.reload();
      await tab.lastText.getByText("You wrote “hello”").waitFor();
      const other = await tab.another(path);
      await other.lastText.getByText("You wrote “hello”").waitFor();
      await page.bringToFront();
      await tab.part("sign-out").click();
      await tab.part("sign-in-key").waitFor();
      expect(await page.context().cookies()).toEqual([]);
      await other.part("sign-in-key").waitFor();
      await other.page.reload();
      await other.part("sign-in-key").waitFor();
    },
  );

  chat.test("keeps what was written when the session ends, sent or not", async (tab) => {
    const signIn = async () => {
      await tab.part("sign-in-key").fill(KEY);
      await tab.part("sign-in-submit").click();
      await tab.part("composer-text").waitFor();
    };
    await tab.page.goto(`${chat.url}/`);
    await signIn();
    await tab.ask("hello");
    await tab.part("composer-text").fill("half a sent");
    await tab.page.context().clearCookies();
    await tab.part("composer-text").fill("what I wanted to say");
    await tab.part("composer-text").press("Enter");
    await tab.part("sign-in-key").waitFor();
    await signIn();
    expect(await tab.part("composer-text").inputValue()).toBe("what I wanted to say");
    await tab.part("composer-text").press("Enter");
    await tab.answers.nth(1).waitFor();
    await tab.rests();
    expect((await tab.texts()).filter((text) => text === "what I wanted to say")).toHaveLength(1);
  });
});

describeInBrowser("the API reference, opened by its address", () => {
  const chat = servedChat({ env: { SERVICE_API_KEY: KEY, MOUNT_PREFIX: "/agents" } });

  chat.test("leads to the sign-in, and from there back", async (tab) => {
    // The last sign-in counts for every path.
    for (const path of ["/agents/docs/", "/docs"]) {
      await tab.page.context().clearCookies();
      await tab.page.goto(chat.url + path);
      await tab.part("sign-in-key").fill(KEY);
      await tab.part("sign-in-submit").click();
      await tab.page.waitForURL(`${chat.url}${path.replace(/\/$/, "")}`);
      expect(await tab.page.title()).toBe("Berth API");
    }
    // Nobody is led anywhere else by a link.
    await tab.page.goto(`${chat.url}/sign-in?next=//evil.example/docs`);
    await tab.part("composer-text").waitFor();
    expect(new URL(tab.page.url()).origin).toBe(chat.url);
  });
});

describeInBrowser("a project that knows people itself", () => {
  const chat = servedChat({ project: join(import.meta.dir, "..", "e2e", "auth", "project") });

  chat.test("is signed in to with a token, and the page says so", async (tab) => {
    await tab.page.goto(`${chat.url}/`);
    await tab.page.getByLabel("Token").fill("nobody");
    await tab.part("sign-in-submit").click();
    await tab.page.getByText("This token is not valid").waitFor();
    await tab.part("sign-in-key").fill("ada");
    await tab.part("sign-in-submit").click();
    await tab.part("composer-text").waitFor();
  });
});
