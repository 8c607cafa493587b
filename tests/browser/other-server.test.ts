import { afterAll, beforeAll, expect } from "bun:test";
import { type BerthProcess, start } from "../e2e/berth-process.ts";
import { until } from "../e2e/condition.ts";
import { DeploymentApi } from "../e2e/deployment-api.ts";
import { openPodman, type Podman } from "../e2e/podman.ts";
import { because, describeUnless, testUnless } from "../skips.ts";
import { barriers } from "./axe.ts";
import type { ChatTab } from "./chat-tab.ts";
import { launchOffline, noBrowser } from "./offline-browser.ts";
import { inTab } from "./served-chat.ts";

const KEY = "the-key-of-this-test";
const opened = noBrowser ? "no browser" : await openPodman();
const reason =
  because(noBrowser, "no Chromium here: install it, or name it in CHROMIUM_PATH") ??
  (typeof opened === "string" ? `no containers here: ${opened}` : undefined);

/** What the page finds out by asking, and a browser notes: no thread app, and a mode of streams that it does not know. */
const EXPECTED = /status of 404.*\/api\/threads\?limit=1\)$|status of 422.*\/runs\/stream\)$/;

describeUnless(reason)("the chat of another LangGraph server's image", () => {
  const podman = opened as Podman;
  let berth: BerthProcess;
  let browser: Awaited<ReturnType<typeof launchOffline>>;
  let id: string;
  const api = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    await podman.image("localhost/agent-server:1", { program: "agent-server.ts" });
    const env = {
      ...{ ...podman.env, SERVICE_API_KEY: KEY, BERTH_EDITION: "self_hosted" },
      ...{ CONTAINER_ENGINE: "podman", CONTAINER_NETWORK: "host" },
    };
    berth = await start({ env });
    const made = await api.ask<{ id: string; latest_revision_id: string }>("POST", "/v2/deployments", {
      ...{ name: "of-others", source: "external_docker", source_config: {}, secrets: [] },
      source_revision_config: { image_uri: "localhost/agent-server:1" },
    });
    id = made.id;
    expect(await api.settled(id, made.latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    browser = await launchOffline();
  });

  afterAll(async () => {
    await browser?.close();
    await berth?.stop();
    if (typeof opened !== "string") await opened.remove();
  });

  /** A test that has signed in. */
  const chat = (name: string, use: (tab: ChatTab) => Promise<void>, options = {}) =>
    testUnless(undefined)(name, () =>
      inTab(browser, `${berth.url}/d/${id}`, options, async (tab) => {
        await tab.page.goto(`${tab.url}/`);
        await tab.part("sign-in-key").fill(KEY);
        await tab.part("sign-in-submit").click();
        await tab.part("composer-text").waitFor();
        await use(tab);
        const others = tab.troubles.filter((trouble) => !EXPECTED.test(trouble));
        tab.troubles.splice(0, tab.troubles.length, ...others);
      }),
    );

  chat("talks by the plain API, keeps the conversation, and says what it cannot do", async (tab) => {
    const { page } = tab;
    expect(await api.ask<object[]>("POST", `/d/${id}/threads/search`, {})).toBeArray();
    await tab.ask("hello there");
    await tab.lastText.getByText("You said hello there.").waitFor();
    expect(await tab.part("server-note").textContent()).toContain("another LangGraph server");
    expect(await tab.part("thumbs-up").count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    const first = tab.path;

    await page.reload();
    await tab.lastText.getByText("You said hello there.").waitFor();
    await tab.ask("and again");
    await tab.lastText.getByText("You said and again.").waitFor();
    await tab.part("open-history").click();
    await tab.part("history-item").nth(3).waitFor();

    await tab.conversation("hello there").waitFor();
    await tab.chooseFor("hello there", "rename");
    await tab.part("rename-input").fill("Greetings");
    await tab.part("rename-input").press("Enter");
    await tab.conversation("Greetings").waitFor();
    await tab.part("thread-search").fill("greet");
    await tab.conversation("Greetings").waitFor();
    await tab.part("thread-search").fill("");

    await tab.part("new-chat").click();
    await tab.ask("another one");
    await tab.conversation("another one").waitFor();
    await tab.chooseFor("another one", "delete");
    await tab.part("confirm-delete").click();
    await tab.conversation("another one").waitFor({ state: "detached" });
    await tab.open(first);
    await tab.lastText.getByText("You said and again.").waitFor();
  });

  chat("edits a message into a branch, and answers again", async (tab) => {
    await tab.ask("one");
    await tab.part("message-user").last().hover();
    await tab.part("edit-message").last().click();
    await tab.part("edit-text").fill("two");
    await tab.part("edit-send").click();
    await tab.lastText.getByText("You said two.").waitFor();
    await tab.rests();
    expect(await tab.texts()).toEqual(["two", "You said two."]);
    const answered = await tab.answers.last().getAttribute("data-message-id");
    await tab.part("regenerate").click();
    await until(
      "another answer",
      () => tab.answers.last().getAttribute("data-message-id"),
      (one) => one !== null && one !== answered,
    );
    await tab.rests();
    expect(await tab.texts()).toEqual(["two", "You said two."]);
  });

  chat("sends what is written before it is known who is there to answer", async (tab) => {
    const { promise: known, resolve: tell } = Promise.withResolvers<void>();
    let isFirst = true;
    await tab.page.route("**/assistants/search", async (route) => {
      const waits = isFirst;
      isFirst = false;
      if (waits) await known;
      await route.continue();
    });
    await tab.page.reload();
    await tab.ask("early");
    await tab.lastText.getByText("You said early.").waitFor();
    tell();
  });

  chat("streams, is joined again after a reload, and stops", async (tab) => {
    await tab.say("slow");
    await tab.lastText.getByText("word5 ").waitFor();
    await tab.page.reload();
    await tab.lastText.getByText("word0 word1 ").waitFor();
    await tab.part("stop").click();
    await tab.rests();
    await tab.page.getByText("You stopped this run.").waitFor();
    const runs = await api.ask<{ status: string }[]>("GET", `/d/${id}/threads/${tab.threadId}/runs`);
    expect(runs.map(({ status }) => status)).toEqual(["interrupted"]);
  });

  chat("answers what the agent asks, also after a reload", async (tab) => {
    await tab.say("ask");
    await tab.page.getByText("What is the colour?").waitFor();
    await tab.page.reload();
    await tab.page.getByText("What is the colour?").waitFor();
    await tab.say("blue");
    await tab.lastText.getByText('The colour is "blue".').waitFor();
    await tab.rests();
  });

  chat("says why a run failed; its trace and an issue arrive", async (tab) => {
    const { page } = tab;
    await tab.say("fail here");
    await tab.part("error-box").getByText("the warehouse is closed").waitFor();
    await page.reload();
    await tab.part("error-box").getByText("the warehouse is closed").waitFor();
    for (let round = 0; round < 4; round += 1) {
      await tab.part("new-chat").click();
      await tab.say(`fail ${round}`);
      await tab.part("error-box").getByText("the warehouse is closed").waitFor();
    }
    const [run] = await api.ask<{ run_id: string }[]>("GET", `/d/${id}/threads/${tab.threadId}/runs`);
    await page.goto(`${berth.url}/console/traces/${run?.run_id}`);
    await page.getByText("the warehouse is closed").first().waitFor();
    await api.ask("POST", "/v1/engine/scan");
    await page.goto(`${berth.url}/console/issues`);
    await page.getByText("the warehouse is closed").first().waitFor();
  });
});
