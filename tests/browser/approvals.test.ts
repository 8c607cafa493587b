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

/** How long a person thinks. */
const THOUGHT_MS = 2_500;

/** Reads "240 ms" and "1.4 s". */
function msOf(text: string | null): number {
  const [, number, unit] = /^([\d.]+) (ms|s)$/.exec(text ?? "") ?? [];
  return Number(number) * (unit === "s" ? 1_000 : 1);
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

  chat.test("is refused with a reason, which the agent reads; that is no failure, and stays", async (tab) => {
    await askForEmail(tab);
    await tab.part("reject").click();
    await tab.part("reject-reason").fill("The launch was moved.");
    await tab.part("reject-send").click();
    expect(await outcome(tab, "The email was not sent.")).toContain("The launch was moved.");
    expect(await tab.answers.count()).toBe(1);
    const kept = async () => {
      const record = tab.part("question-record");
      for (const part of ["send_email", "Rejected", "The launch was moved."])
        await record.getByText(part, { exact: true }).first().waitFor();
      const call = tab.part("tool-call").filter({ hasText: "send_email" });
      await call.and(tab.page.locator("[data-status=declined]")).waitFor();
      await call.getByText("Declined", { exact: true }).waitFor();
    };
    await kept();
    await tab.page.reload();
    await kept();
  });

  chat.test("is reached and answered by keyboard, and leads back to the composer", async (tab) => {
    await askForEmail(tab);
    expect(await tab.part("composer-text").isDisabled()).toBe(true);
    const form = tab.part("interrupt-form");
    await tab.page.waitForFunction(() => document.activeElement?.matches("[data-testid=interrupt-form]"));
    await tab.page.keyboard.press("Tab");
    await tab.page.keyboard.press("Tab");
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForFunction(() => document.activeElement?.closest("[data-testid=edit-form]"));
    await form.getByLabel("to").fill("grace@example.com");
    await tab.part("edit-save").press("Enter");
    await outcome(tab, "The email went out.");
    await tab.page.waitForFunction(() => document.activeElement?.matches("[data-testid=composer-text]"));
    await tab.part("question-record").getByText("Edited", { exact: true }).waitFor();
    await tab.part("question-record").getByText("grace@example.com").waitFor();
  });

  chat.test("takes its time, which is not the tool's", async (tab) => {
    const begun = Date.now();
    await askForEmail(tab);
    await Bun.sleep(THOUGHT_MS);
    await tab.part("approve").click();
    await outcome(tab, "The email went out.");
    // Whatever else took its time, on a busy machine as well: the thought is in none of it.
    const most = Date.now() - begun - THOUGHT_MS;
    const elapsed = tab.part("tool-call").filter({ hasText: "send_email" }).locator(".elapsed");
    expect(msOf(await elapsed.textContent())).toBeLessThanOrEqual(most);
    await tab.page.reload();
    expect(msOf(await elapsed.textContent())).toBeLessThanOrEqual(most);
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

describeInBrowser("a question that wants words", () => {
  const chat = servedChat({ project: join(import.meta.dir, "project") });

  chat.test("is answered where messages are written, and both stay", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "drafts" });
    await tab.say("words");
    await tab.part("interrupt-form").getByText("What shall it say?").waitFor();
    await tab.rests();
    await tab.page.waitForFunction(() => document.activeElement?.matches("[data-testid=answer-text]"));
    expect(await tab.part("composer-text").getAttribute("placeholder")).toBe("Answer the agent");
    await tab.say("That we are late.");
    await tab.lastText.getByText('"That we are late."').waitFor();
    const kept = async () => {
      await tab.part("question-record").getByText("What shall it say?").waitFor();
      await tab.part("question-record").getByText("That we are late.").waitFor();
      expect((await tab.stored()).map(({ type }) => type)).toEqual(["human", "ai"]);
    };
    await kept();
    await tab.page.reload();
    await kept();
  });
});
