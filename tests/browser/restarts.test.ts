import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type BerthProcess, start, template } from "../e2e/berth-process.ts";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser, launchOffline } from "./offline-browser.ts";
import { inTab } from "./served-chat.ts";
import { shownAnswers, watchAnswers } from "./shown-answers.ts";

const env = {
  // Slow enough to be killed in the middle, and taken up again soon.
  OFFLINE_TOKEN_MS: "25",
  RUN_LEASE_MS: "1000",
};

describeInBrowser("the server is killed in the middle of a run", () => {
  let browser: Browser;
  let berth: BerthProcess;
  beforeAll(async () => {
    [browser, berth] = await Promise.all([launchOffline(), start({ project: template("deep-agent"), env })]);
  });
  afterAll(async () => {
    await browser.close();
    await berth.stop();
  });

  /** Kills the server, waits until the page says so, starts it again, and waits until the page is back. */
  const powerCut = async (tab: ChatTab) => {
    await berth.kill9();
    const banner = tab.part("connection-banner");
    await banner.getByText("Reconnecting").waitFor();
    // It was still at work, as far as anybody knows.
    expect(await tab.part("stop").count()).toBe(1);
    berth = await berth.restartInPlace();
    await banner.getByText("Reconnecting").waitFor({ state: "detached" });
    // What a browser notes of a server that is away.
    const others = tab.troubles.filter(
      (trouble) => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|\/(api|assistants)\//.test(trouble),
    );
    tab.troubles.splice(0, tab.troubles.length, ...others);
  };

  test("the page comes back by itself, and there is one final message", () =>
    inTab(browser, berth.url, {}, async (tab) => {
      await watchAnswers(tab.page);
      await tab.open();
      await tab.say("Tell me about harbours");
      await tab.lastText.getByText("stands in").waitFor();
      await powerCut(tab);
      await tab.lastText.getByText("start again.").waitFor();
      await tab.rests();
      await tab.part("connection-banner").waitFor({ state: "detached" });
      const answers = (await tab.stored()).filter(({ type }) => type === "ai");
      expect(answers).toHaveLength(1);
      expect(await tab.texts()).toEqual(["Tell me about harbours", String(answers[0]?.content)]);
      expect((await shownAnswers(tab.page)).filter((shown) => shown.length > 1)).toEqual([]);
    }));

  test("a subagent that was at work is run again, and is shown once", () =>
    inTab(browser, berth.url, {}, async (tab) => {
      await tab.open();
      await tab.say("Research how a deep agent works");
      await tab.page
        .locator("[data-testid=subagent-card][data-status=running]", { hasText: "researcher" })
        .waitFor();
      await powerCut(tab);
      await tab.lastText.getByText("both subagents have reported").waitFor();
      await tab.rests();
      expect(await tab.part("subagent-card").count()).toBe(2);
      expect(await tab.part("tool-call").count()).toBe(3);
      expect(await tab.answers.count()).toBe(1);
      const last = (await tab.stored()).at(-1);
      expect(await tab.lastText.textContent()).toBe(String(last?.content));
    }));

  test("what is written while it is away is sent when it is back, once", () =>
    inTab(browser, berth.url, {}, async (tab) => {
      await tab.open();
      await tab.ask("hello");
      await berth.kill9();
      await tab.part("connection-banner").getByText("Reconnecting").waitFor();
      await tab.say("are you there?");
      berth = await berth.restartInPlace();
      await tab.lastText.getByText("You wrote “are you there?”").waitFor();
      await tab.rests();
      expect((await tab.stored()).filter(({ type }) => type === "human")).toHaveLength(2);
      expect(await tab.texts()).toHaveLength(4);
      tab.troubles.length = 0;
    }));
});
