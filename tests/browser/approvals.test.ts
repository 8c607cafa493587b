import { expect } from "bun:test";
import { join } from "node:path";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

/** Asks for an email, and waits for the agent's question about it. */
async function askForEmail(tab: ChatTab): Promise<void> {
  await tab.open();
  await tab.say("Send an email to ada@example.com about the launch");
  await tab.part("interrupt-form").getByText("ada@example.com", { exact: true }).waitFor();
  await tab.rests();
}

/** Waits for the answer that follows a decision, and gives what the tool was told to say. */
async function outcome(tab: ChatTab, text: string): Promise<unknown> {
  await tab.lastText.getByText(text).waitFor();
  await tab.rests();
  await tab.part("interrupt-form").waitFor({ state: "detached" });
  return (await tab.stored()).findLast(({ type }) => type === "tool")?.content;
}

describeInBrowser("a question of the agent", () => {
  const chat = servedChat();

  chat.test("is drawn from what is asked, and approved", async (tab) => {
    await askForEmail(tab);
    const form = tab.part("interrupt-form");
    for (const part of ["send_email", "A note from the offline model", "subject", "body"])
      expect(await form.textContent()).toContain(part);
    expect(await tab.part("composer-text").getAttribute("placeholder")).toContain("waits for your answer");
    await tab.part("approve").click();
    expect(await outcome(tab, "The email went out.")).toBe(
      "The email “A note from the offline model” to ada@example.com is on its way.",
    );
  });

  chat.test("is still there after a reload, and answered then with other arguments", async (tab) => {
    await askForEmail(tab);
    await tab.page.reload();
    await tab.part("edit").click();
    await tab.part("edit-form").getByLabel("to").fill("grace@example.com");
    await tab.part("edit-save").click();
    expect(await outcome(tab, "The email went out.")).toContain("to grace@example.com is on its way.");
  });

  chat.test("is refused with a reason, which the agent reads", async (tab) => {
    await askForEmail(tab);
    await tab.part("reject").click();
    await tab.part("reject-reason").fill("The launch was moved.");
    await tab.part("reject-send").click();
    expect(await outcome(tab, "The email was not sent.")).toContain("The launch was moved.");
    expect(await tab.answers.count()).toBe(1);
  });
});

describeInBrowser("a question in the form of Agent Inbox", () => {
  const chat = servedChat({ project: join(import.meta.dir, "project") });

  async function ask(tab: ChatTab, words: string): Promise<void> {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "drafts" });
    await tab.say(words);
    await tab.part("interrupt-form").getByText("the launch", { exact: true }).first().waitFor();
    await tab.rests();
  }
  /** What the graph was answered with. */
  const answered = async (tab: ChatTab) => {
    await tab.part("interrupt-form").waitFor({ state: "detached" });
    await tab.lastText.getByText("type").waitFor();
    return JSON.parse((await tab.lastText.textContent()) ?? "");
  };
  const args = { to: "ada@example.com", body: "The launch is on Friday." };

  chat.test("is accepted, edited, answered in words, or ignored", async (tab) => {
    await ask(tab, "one");
    await tab.part("accept").click();
    expect(await answered(tab)).toEqual([{ type: "accept", args: { action: "send_email", args } }]);
    await ask(tab, "one");
    await tab.part("edit").click();
    await tab.part("edit-form").getByLabel("to").fill("c@example.com");
    await tab.part("edit-save").click();
    const edited = { action: "send_email", args: { ...args, to: "c@example.com" } };
    expect(await answered(tab)).toEqual([{ type: "edit", args: edited }]);
    await ask(tab, "one");
    await tab.part("respond").click();
    expect(await tab.part("respond-send").isDisabled()).toBe(true);
    await tab.part("respond-reason").fill("Say Monday.");
    await tab.part("respond-send").click();
    expect(await answered(tab)).toEqual([{ type: "response", args: "Say Monday." }]);
    await ask(tab, "one");
    await tab.part("ignore").click();
    expect(await answered(tab)).toEqual([{ type: "ignore", args: null }]);
  });

  chat.test("of several drafts is answered in one list, each as it allows", async (tab) => {
    await ask(tab, "two");
    expect(await tab.part("accept").count()).toBe(1);
    await tab.part("accept").click();
    await tab.part("ignore").last().click();
    await tab.part("send-decisions").click();
    expect(await answered(tab)).toEqual([
      { type: "accept", args: { action: "send_email", args } },
      { type: "ignore", args: null },
    ]);
  });
});
