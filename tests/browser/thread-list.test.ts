import { expect } from "bun:test";
import { until } from "../e2e/condition.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

describeInBrowser("the list of conversations", () => {
  const chat = servedChat();

  chat.test("names them by their first words; they are found, renamed, opened and deleted", async (tab) => {
    await tab.open();
    await tab.ask("Ships in the harbour");
    await tab.part("new-chat").click();
    await tab.ask("Weather in Lisbon");
    const titles = tab.part("thread-title");
    await titles.nth(1).waitFor();
    expect(await titles.allInnerTexts()).toEqual(["Weather in Lisbon", "Ships in the harbour"]);

    await tab.part("thread-search").fill("harbour");
    await titles.getByText("Weather in Lisbon").waitFor({ state: "detached" });
    await titles.getByText("Ships in the harbour").click();
    await tab.lastText.getByText("You wrote “Ships in the harbour”").waitFor();
    await tab.chooseFor("Ships in the harbour", "rename");
    await tab.part("rename-input").fill("Boats at the quay");
    await tab.part("rename-input").press("Enter");
    await tab.part("thread-search").fill("quay");
    await titles.getByText("Boats at the quay").waitFor();
    expect(await tab.page.title()).toContain("Boats at the quay");

    await tab.chooseFor("Boats at the quay", "delete");
    await tab.part("confirm-delete").click();
    await tab.conversation("Boats at the quay").waitFor({ state: "detached" });
    await tab.part("thread-search").fill("");
    await titles.getByText("Weather in Lisbon").waitFor();
    expect(await titles.allInnerTexts()).toEqual(["Weather in Lisbon"]);
    expect(await tab.get<unknown[]>("/api/threads")).toHaveLength(1);
  });

  chat.test("loads on as one scrolls, without what programs ran, which a search finds", async (tab) => {
    const post = async (path: string, body: object): Promise<Response> => {
      const headers = { "content-type": "application/json" };
      return fetch(chat.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    };
    const written = async (number: number) => {
      const updates = [
        { values: { messages: [{ type: "human", content: `Note ${number}` }] }, as_node: "__start__" },
      ];
      const made = await post("/threads", {
        metadata: { graph_id: "deep-agent" },
        supersteps: [{ updates }],
      });
      expect([made.status, await made.text()]).toMatchObject([200, expect.any(String)]);
    };
    for (let first = 0; first < 120; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, at) => written(first + at)));
    const input = { messages: [{ type: "human", content: "A cron says this" }] };
    const { thread_id } = (await (await post("/threads", {})).json()) as { thread_id: string };
    await post(`/threads/${thread_id}/runs/wait`, { assistant_id: "deep-agent", input });
    await tab.open();
    await tab.part("thread-item").nth(99).waitFor();
    expect(await tab.conversation("A cron says this").count()).toBe(0);
    await tab.part("thread-item").nth(99).scrollIntoViewIfNeeded();
    await tab.part("thread-item").nth(119).waitFor();
    await tab.part("thread-search").fill("a cron says");
    await tab.conversation("A cron says this").waitFor();
    await tab.part("thread-search").fill("nothing like it");
    await tab.page.getByText("No conversations match “nothing like it”.").waitFor();
  });

  chat.test("is searched for what was said, whatever a conversation is called", async (tab) => {
    await tab.open();
    await tab.ask("Lighthouses of Brittany, please");
    await tab.chooseFor("Lighthouses of Brittany, please", "rename");
    await tab.part("rename-input").fill("Holidays");
    await tab.part("rename-input").press("Enter");
    await until(
      "its words to be found",
      async () => (await tab.get<unknown[]>("/api/threads?q=lighthouses%20brit")).length === 1,
    );
    // By words of the answer, of which the last is not written out yet.
    await tab.part("thread-search").fill("wrote lighthou");
    await tab.conversation("Holidays").waitFor();
    await tab.part("thread-item").nth(1).waitFor({ state: "detached" });
    await tab.chooseFor("Holidays", "delete");
    await tab.part("confirm-delete").click();
    await tab.page.getByText("No conversations match “wrote lighthou”.").waitFor();
  });

  chat.test("is reached with the keyboard alone", async (tab) => {
    const { keyboard } = tab.page;
    await tab.open();
    await keyboard.type("Tides and moons");
    await keyboard.press("Enter");
    await tab.lastText.getByText("start again.").waitFor();
    await tab.rests();
    const path = tab.path;
    await keyboard.press("Control+Shift+o");
    await tab.part("example").first().waitFor();
    expect(new URL(tab.page.url()).pathname).toBe("/");
    await keyboard.press("Control+k");
    await tab.part("palette-input").waitFor();
    await keyboard.type("tides");
    await tab.part("palette-entry").getByText("Tides and moons").waitFor();
    await keyboard.press("Enter");
    await tab.lastText.getByText("You wrote “Tides and moons”").waitFor();
    expect(tab.path).toBe(path);
    await tab.part("palette").waitFor({ state: "detached" });

    await tab.part("composer-text").focus();
    await keyboard.press("ArrowUp");
    expect(await tab.part("edit-text").inputValue()).toBe("Tides and moons");
    await keyboard.press("Escape");
    await tab.part("edit-text").waitFor({ state: "detached" });
    await tab.page.locator("#conversation").focus();
    await keyboard.press("?");
    await tab.part("shortcut-sheet").waitFor();
    await keyboard.press("Escape");
    await tab.part("shortcut-sheet").waitFor({ state: "detached" });
  });

  chat.test(
    "is a drawer on a phone",
    async (tab) => {
      await tab.open();
      await tab.ask("hello");
      expect(await tab.part("sidebar").count()).toBe(0);
      await tab.part("open-sidebar").click();
      await tab.part("thread-title").getByText("hello").waitFor();
      await tab.part("new-chat").click();
      await tab.part("sidebar").waitFor({ state: "detached" });
      await tab.part("example").first().waitFor();
      const { scrollWidth, clientWidth } = await tab.page.evaluate(() => document.documentElement);
      expect(scrollWidth).toBe(clientWidth);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

describeInBrowser("the page", () => {
  const chat = servedChat({ env: { OFFLINE_TOKEN_MS: "25" } });

  chat.test("stops an answer by Esc", async (tab) => {
    await tab.open();
    await tab.say("hello");
    await tab.lastText.getByText("offline").waitFor();
    await tab.page.keyboard.press("Escape");
    await tab.part("run-again").waitFor();
    expect(await tab.lastText.textContent()).not.toContain("start again.");
  });

  chat.test("is light or dark as it is told, also the next time", async (tab) => {
    const background = () =>
      tab.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await tab.open();
    const light = await background();
    await tab.page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    expect(dark).not.toBe(light);
    await tab.part("theme-switch").click();
    await tab.part("theme-light").click();
    expect(await background()).toBe(light);
    await tab.open();
    expect(await background()).toBe(light);
    await tab.part("theme-switch").click();
    await tab.part("theme-system").click();
    expect(await background()).toBe(dark);
  });
});
