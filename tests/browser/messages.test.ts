import { expect } from "bun:test";
import { until } from "../e2e/condition.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

/** A red square of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

type Entry = { key: string; score: number | null; message_id: string | null; run_id: string };

describeInBrowser("messages", () => {
  const chat = servedChat();

  chat.test("a picture and a text go with a message, and what is neither is refused", async (tab) => {
    await tab.open();
    const files = [
      { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") },
      { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Tides\nHigh at noon.") },
      { name: "tool.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 0, 254]) },
    ];
    await tab.part("attach-input").setInputFiles(files);
    await tab.part("attachment").nth(1).waitFor();
    await tab.part("composer").getByRole("alert").getByText("tool.bin").waitFor();
    expect(await tab.part("attachment").count()).toBe(2);
    await tab.ask("What is in these?");
    const [sent] = await tab.stored();
    expect(sent?.content).toEqual([
      { type: "text", text: "What is in these?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: "text", text: expect.stringContaining("High at noon.") },
    ]);
    await tab.page.reload();
    const bubble = tab.part("message-user");
    await bubble.locator("img").waitFor();
    await bubble.getByText("notes.md").click();
    await bubble.getByText("High at noon.").waitFor();
  });

  chat.test("an answer is rated, differently, and not at all; the run keeps it", async (tab) => {
    await tab.open();
    await tab.ask("hello");
    const kept = () => tab.get<Entry[]>(`/api/threads/${tab.threadId}/feedback`);
    const becomes = (score: number) => until("the rating", kept, ([entry]) => entry?.score === score);
    await tab.part("thumbs-up").click();
    const [entry] = await becomes(1);
    const answer = (await tab.stored()).at(-1);
    expect(entry).toMatchObject({
      key: "user_score",
      message_id: answer && "id" in answer ? answer.id : undefined,
    });
    await tab.part("thumbs-down").click();
    await becomes(0);
    await tab.page.reload();
    await tab.page.locator("[data-testid=thumbs-down][aria-pressed=true]").click();
    await until("no rating", kept, (entries) => entries.length === 0);
  });

  chat.test("a tool that fails is shown as failed, and the agent goes on", async (tab) => {
    await tab.open();
    await tab.ask("Please fail");
    const call = tab.page.locator("[data-testid=tool-call][data-status=error]");
    await call.locator("summary").click();
    await call.getByText("There is no weather station in Atlantis.").waitFor();
    expect(await tab.lastText.textContent()).toContain("I go on without it.");
    expect(await tab.part("usage").first().textContent()).toMatch(/\d+ tokens/);
  });

  chat.test("one that is written while an answer comes waits for its turn", async (tab) => {
    await tab.open();
    await tab.say("one");
    await tab.say("two");
    await tab.lastText.getByText("You wrote “two”").waitFor();
    await tab.rests();
    expect((await tab.texts()).filter((_, place) => place % 2 === 0)).toEqual(["one", "two"]);
  });
});
