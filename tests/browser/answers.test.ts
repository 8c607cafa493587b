import { expect } from "bun:test";
import { until } from "../e2e/condition.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";
import { shownAnswers, watchAnswers } from "./shown-answers.ts";

/** Slow enough to be seen in the middle, by a test as by a person. */
const PACE = { OFFLINE_TOKEN_MS: "20" };

describeInBrowser("an answer, while it comes", () => {
  const chat = servedChat({ env: PACE });

  chat.test("grows token by token", async (tab) => {
    await watchAnswers(tab.page);
    await tab.open();
    await tab.ask("hello there");
    const shown = (await shownAnswers(tab.page)).map((answers) => answers.join("|"));
    const last = shown.at(-1) ?? "";
    expect(new Set(shown).size).toBeGreaterThan(8);
    expect(shown.filter((text) => !last.startsWith(text))).toEqual([]);
    expect(last).toContain("I am the offline model");
    expect([last]).toEqual((await tab.stored()).slice(1).map(({ content }) => String(content)));
    await tab.part("offline-note").waitFor();
  });

  chat.test("shows what a tool was given, what it said and how long it took", async (tab) => {
    await tab.open();
    await tab.ask("What is the weather in Lisbon?");
    const call = tab.part("tool-call");
    expect(await call.getAttribute("data-status")).toBe("done");
    await call.locator("summary").click();
    expect(await call.locator(".call-name").textContent()).toBe("get_weather");
    expect(await call.locator("pre").first().textContent()).toContain('"city": "Lisbon"');
    expect(await call.locator("pre").last().textContent()).toBe("It is 18 °C and sunny in Lisbon.");
    expect(await call.locator(".elapsed").textContent()).toMatch(/^\d+(\.\d)? m?s$/);
  });

  chat.test(
    "shows two subagents at work; one is opened, followed and left, also after a reload",
    async (tab) => {
      await tab.open();
      await tab.say("Research how a deep agent works");
      const cards = tab.part("subagent-card");
      await tab.page.locator("[data-testid=subagent-card][data-status=running]").waitFor();
      await cards.first().click();
      const view = tab.part("subagent-view");
      await view.locator(".md", { hasText: "I look into the notes." }).waitFor();
      await view.locator("[data-testid=tool-call][data-status=done]").waitFor();
      await view.locator(".md", { hasText: "Notes of the offline researcher:" }).waitFor();
      await tab.page
        .getByRole("navigation", { name: "Subagents" })
        .getByRole("button", { name: "Conversation" })
        .click();
      await tab.page
        .locator("[data-testid=subagent-card][data-status=running]", { hasText: "writer" })
        .waitFor();
      await tab.rests();
      expect(await cards.count()).toBe(2);
      expect(await cards.evaluateAll((all) => all.map((card) => card.getAttribute("data-status")))).toEqual([
        "done",
        "done",
      ]);
      await tab.part("tool-call").getByText("2 of 2 done").waitFor();
      expect(await tab.part("todo-list").count()).toBe(0);
      await tab.page.reload();
      await cards.nth(1).click();
      await view.locator(".md", { hasText: "Summary of the offline writer:" }).waitFor();
      await tab.page.goBack();
      await cards.nth(1).waitFor();
    },
  );

  chat.test("goes on over a reload, without a gap or a repeat", async (tab) => {
    await watchAnswers(tab.page);
    await tab.open();
    await tab.say("Research how a deep agent works");
    await tab.page.locator("[data-testid=subagent-card][data-status=running]").waitFor();
    const before = (await shownAnswers(tab.page)).at(-1)?.join("|") ?? "";
    await tab.page.reload();
    await tab.lastText.getByText("A real model would have looked things up.").waitFor();
    await tab.rests();
    const said = (await tab.stored())
      .filter(({ type }) => type === "ai")
      .map(({ content }) => String(content));
    const whole = said.join("\n");
    const shown = (await shownAnswers(tab.page)).map((answers) => answers.join("|"));
    expect(before).not.toBe("");
    const wrong = (texts: string[]) => texts.filter((text) => !whole.startsWith(text));
    expect({ before: wrong([before]), behind: wrong(shown) }).toEqual({ before: [], behind: [] });
    // Growing, not all at once: the reload came in the middle of it.
    expect(shown.length).toBeGreaterThan(8);
    expect(shown.at(-1)).toBe(whole);
    expect(shown.map(({ length }) => length)).toEqual(
      shown.map(({ length }) => length).sort((a, b) => a - b),
    );
    expect(await tab.part("message-user").count()).toBe(1);
  });

  chat.test("shows no answer after a reload until the history was read", async (tab) => {
    await watchAnswers(tab.page);
    await tab.open();
    await tab.say("Research how a deep agent works");
    await tab.page.locator("[data-testid=subagent-card][data-status=running]").waitFor();
    // The history arrives after the run has ended, and so after its events were replayed.
    const ended = Promise.withResolvers<void>();
    await tab.page.route("**/history", async (route) => {
      await ended.promise;
      await route.continue();
    });
    await tab.page.reload();
    await until(
      "the run to end",
      () => tab.stored(),
      (messages) => messages.some(({ content }) => String(content).includes("A real model would have")),
    );
    expect(await tab.answers.count()).toBe(0);
    ended.resolve();
    await tab.lastText.getByText("A real model would have looked things up.").waitFor();
    await tab.rests();
    const said = (await tab.stored()).filter(({ type }) => type === "ai");
    const whole = said.map(({ content }) => String(content)).join("\n");
    const shown = (await shownAnswers(tab.page)).map((answers) => answers.join("|"));
    expect(shown.filter((text) => !whole.startsWith(text))).toEqual([]);
    expect(shown.at(-1)).toBe(whole);
  });
});

// Slow enough to be stopped in the middle, also by a machine that has much to do.
describeInBrowser("an answer, halfway", () => {
  const chat = servedChat({ env: { OFFLINE_TOKEN_MS: "150" } });

  chat.test("stays as far as it was written when it is stopped, and is run again", async (tab) => {
    await tab.open();
    await tab.say("hello");
    await tab.lastText.getByText("offline").waitFor();
    await tab.part("stop").click();
    await tab.rests();
    await tab.part("stopped").waitFor();
    const words = async () => ((await tab.lastText.textContent()) ?? "").trim();
    const cut = await words();
    expect(cut).toContain("offline");
    expect(cut).not.toContain("start again.");
    await tab.page.reload();
    await tab.part("stopped").waitFor();
    expect(await words()).toBe(cut);
    await tab.part("run-again").click();
    await tab.lastText.getByText("start again.").waitFor();
    await tab.rests();
    expect(await tab.answers.count()).toBe(1);
    expect(await tab.part("stopped").count()).toBe(0);
    expect(await tab.part("branch-label").textContent()).toContain("2/2");
    await tab.part("branch-prev").click();
    await tab.part("stopped").waitFor();
    expect(await words()).toBe(cut);
  });

  chat.test("that is stopped stays before the message that waited for its end", async (tab) => {
    await tab.open();
    await tab.say("hello");
    await tab.lastText.getByText("offline").waitFor();
    await tab.say("and now this");
    await tab.part("queued-message").waitFor();
    await tab.part("stop").click();
    await tab.answers.nth(1).getByText("start again.").waitFor();
    await tab.rests();
    const shown = await tab.texts();
    expect([shown[0], shown[2], shown.length]).toEqual(["hello", "and now this", 4]);
    expect(shown[1]).toContain("offline");
    expect(await tab.answers.first().getByTestId("stopped").count()).toBe(1);
    expect((await tab.stored()).map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
    await tab.page.reload();
    await tab.part("stopped").waitFor();
    expect(await tab.texts()).toEqual(shown);
  });
});
