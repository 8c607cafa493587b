import { expect } from "bun:test";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

describeInBrowser("branches", () => {
  const chat = servedChat();

  chat.test("a message that is sent again differently forks; the switcher shows either way", async (tab) => {
    await tab.open();
    await tab.ask("first question");
    await tab.ask("second question");
    await tab.part("message-user").nth(1).hover();
    await tab.part("edit-message").nth(1).click();
    await tab.part("edit-text").fill("another question");
    await tab.part("edit-send").click();
    await tab.lastText.getByText("You wrote “another question”").waitFor();
    await tab.rests();
    const label = tab.part("branch-label");
    await label.getByText("2/2").waitFor();
    const other = await tab.texts();
    expect(other).toHaveLength(4);
    expect(other[2]).toBe("another question");
    await tab.part("branch-prev").click();
    await label.getByText("1/2").waitFor();
    const texts = await tab.texts();
    expect([texts[0], texts[2], texts.length]).toEqual(["first question", "second question", 4]);
    expect(texts[3]).toContain("You wrote “second question”");
    await tab.part("branch-next").click();
    await label.getByText("2/2").waitFor();
    expect(await tab.texts()).toEqual(other);
    await tab.page.reload();
    await label.getByText("2/2").waitFor();
    expect(await tab.texts()).toEqual(other);
  });

  chat.test("what is said on an older branch goes on from that branch", async (tab) => {
    await tab.open();
    await tab.ask("one");
    await tab.part("message-user").first().hover();
    await tab.part("edit-message").click();
    await tab.part("edit-text").fill("two");
    await tab.part("edit-text").press("Enter");
    await tab.lastText.getByText("You wrote “two”").waitFor();
    await tab.rests();
    await tab.part("branch-prev").click();
    await tab.part("branch-label").getByText("1/2").waitFor();
    await tab.say("three");
    await tab.lastText.getByText("You wrote “three”").waitFor();
    await tab.rests();
    const stored = await tab.stored();
    expect(stored.filter(({ type }) => type === "human").map(({ content }) => content)).toEqual([
      "one",
      "three",
    ]);
    expect((await tab.texts()).filter((_, place) => place % 2 === 0)).toEqual(["one", "three"]);
  });

  chat.test(
    "an edit while the history is still on its way is sent when the history is there",
    async (tab) => {
      let arrive = () => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      await tab.open();
      await tab.ask("one");
      await tab.page.route("**/history", async (route) => {
        await arrived;
        await route.continue();
      });
      await tab.page.reload();
      await tab.part("message-user").first().hover();
      await tab.part("edit-message").click();
      await tab.part("edit-text").fill("two");
      await tab.part("edit-text").press("Enter");
      await tab.part("edit-send").and(tab.page.locator(":disabled")).waitFor();
      arrive();
      await tab.lastText.getByText("You wrote “two”").waitFor();
      await tab.rests();
      await tab.part("branch-label").getByText("2/2").waitFor();
    },
  );

  chat.test("an answer is given again, and the first one is kept", async (tab) => {
    await tab.open();
    await tab.ask("What is the weather in Lisbon?");
    const [before] = await tab.stored().then((all) => all.slice(-1));
    await tab.part("regenerate").click();
    await tab.part("branch-label").getByText("2/2").waitFor();
    await tab.rests();
    expect(await tab.answers.count()).toBe(1);
    expect(await tab.part("message-user").count()).toBe(1);
    expect((await tab.stored()).filter(({ type }) => type === "human")).toHaveLength(1);
    await tab.part("branch-prev").click();
    await tab.part("branch-label").getByText("1/2").waitFor();
    expect(await tab.lastText.textContent()).toBe(String(before?.content));
  });

  chat.test("the history shows what a step changed, and forks from it", async (tab) => {
    await tab.open();
    await tab.ask("alpha");
    await tab.ask("beta");
    await tab.part("open-history").click();
    const items = tab.part("history-item");
    const input = items.filter({ hasText: "Input" }).first();
    await input.waitFor();
    // Newest first: a run's input, above it the step that took it in, below it the end of the run before.
    const place = (await items.allInnerTexts()).findIndex((text) => text.includes("Input"));
    await items.nth(place - 1).click();
    await tab.part("state-diff").getByText("beta").waitFor();
    await items.nth(place - 1).click();
    await items.nth(place + 1).click();
    await tab.part("fork-here").click();
    await tab.part("fork-note").waitFor();
    await tab.say("gamma");
    await tab.lastText.getByText("You wrote “gamma”").waitFor();
    await tab.rests();
    const people = (await tab.stored()).filter(({ type }) => type === "human");
    expect(people.map(({ content }) => content)).toEqual(["alpha", "gamma"]);
    await tab.part("branch-label").getByText("2/2").waitFor();
  });
});
