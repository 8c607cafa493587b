import { afterAll, expect, test } from "bun:test";
import { AT_ONCE_MS } from "../../limits.ts";
import { until } from "../condition.ts";
import { present } from "../stream-parts.ts";
import { type Chat, forEachClient } from "./chat-client.ts";
import { APP } from "./doors.ts";
import { ProtocolThread } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";

const { berth } = servedProtocol();
const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(" ");
const uuid = () => crypto.randomUUID();

forEachClient(berth, (client, name) => {
  afterAll(() => client.close());

  const raw = (id: string) => new ProtocolThread(berth.url, client.door, id);

  test("[44] a first message streams its tokens and resolves at the end; the second appends", async () => {
    const chat = await client.chat(uuid(), "chat");
    await chat.say("words 50 pace 10");
    await chat.shows(["words 50 pace 10", words(50)]);
    expect(chat.now).toMatchObject({ isLoading: false, error: undefined });
    const parts = chat.shown.filter((text) => text !== "" && text !== words(50));
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((text) => words(50).startsWith(text))).toBe(true);
    await chat.say("again");
    await chat.shows(["words 50 pace 10", words(50), "again", "You said: again"]);
    expect(new Set(chat.now.messages.map(({ id }) => id)).size).toBe(4);
  });

  test("[45] after a reload submit resolves at the end of its own run, its tokens seen live", async () => {
    const id = uuid();
    const before = await client.chat(id, "chat");
    const told = ["one", "You said: one", "two", "You said: two"];
    await before.say("one");
    await before.say("two");
    // Older clients cannot tell runs apart: the end of the first, when the slower of their streams brings it, is taken
    // for that of the second; a page that is left then may not even have sent it.
    if (!name.includes("1.15.0")) await before.shows(told);
    await before.controller.dispose();
    const chat = await client.chat(id, "chat");
    await chat.shows(told);
    expect(chat.now.isLoading).toBe(false);
    let ended = false;
    const saying = chat.say("words 60 pace 5").then(() => {
      ended = true;
    });
    await chat.until("a part of the answer", () => chat.texts.at(-1)?.startsWith("w0 w1 w2 ") === true);
    expect(ended).toBe(false);
    expect(chat.now.isLoading).toBe(true);
    await saying;
    await chat.shows([...told, "words 60 pace 5", words(60)]);
    expect(chat.now.isLoading).toBe(false);
  });

  test("[46] a reload shows the interrupt; the answer to it clears it and is seen", async () => {
    const id = uuid();
    await raw(id).run("interrupt", { messages: [{ type: "human", content: "go" }] });
    // A page that names no assistant goes on with the thread's.
    const chat = await client.chat(id, "_");
    const shown = await chat.until("the interrupt", ({ interrupts }) => interrupts.length > 0);
    expect(shown.interrupts).toMatchObject([{ value: { question: "ok?", text: "draft" } }]);
    await chat.controller.respond("yes", { interruptId: present(shown.interrupts[0]).id });
    await chat.until("the end", ({ isLoading }) => !isLoading);
    await chat.shows(["go", 'answer: "yes"']);
    expect(chat.now.interrupts).toEqual([]);
    const again = await client.chat(id, "interrupt");
    await again.shows(["go", 'answer: "yes"']);
    expect(again.now.interrupts).toEqual([]);
  });

  test("[46] two interrupts side by side are answered at once", async () => {
    const id = uuid();
    await raw(id).run("parallel-interrupt", { messages: [{ type: "human", content: "go" }] });
    const chat = await client.chat(id, "parallel-interrupt");
    const { interrupts } = await chat.until("both", (now) => now.interrupts.length === 2);
    const answers = interrupts.map((one) => [present(one.id), (one.value as { question: string }).question]);
    await chat.controller.respondAll(Object.fromEntries(answers));
    // Between the answer and its run the chat does not load, either.
    const isAnswered = (values: object) => "answers" in values && (values.answers as unknown[]).length === 2;
    await chat.until("the end", ({ isLoading, values }) => !isLoading && isAnswered(values));
    expect((await raw(id).state()).values.answers).toEqual(['colour? "colour?"', 'size? "size?"']);
    expect(chat.now.interrupts).toEqual([]);
  });

  test("[47] a second client in the middle of a run sees it going, and its end", async () => {
    const id = uuid();
    const one = await client.chat(id, "chat");
    const saying = one.say("words 100 pace 10");
    await one.until("a token", () => one.texts.at(-1)?.startsWith("w0 ") === true);
    const two = await client.chat(id, "chat");
    await two.until("it goes on", ({ isLoading }) => isLoading);
    await two.until("a token here", () => two.texts.at(-1)?.startsWith("w0 ") === true);
    await saying;
    await two.until("its end", ({ isLoading }) => !isLoading);
    await two.shows(["words 100 pace 10", words(100)]);
    await one.shows(["words 100 pace 10", words(100)]);
  });

  test("[48] stop cancels on the server at once", async () => {
    const id = uuid();
    const chat = await client.chat(id, "chat");
    const runs: string[] = [];
    const saying = chat.say("words 1000 pace 20", {
      onCreated: ({ runId }: { runId: string }) => runs.push(runId),
    });
    await chat.until("a token", () => chat.texts.at(-1)?.startsWith("w0 ") === true);
    const stoppedAt = performance.now();
    await chat.controller.stop();
    const status = async () => {
      const [run] = (await (await fetch(`${berth.url}/threads/${id}/runs`)).json()) as { status: string }[];
      return run?.status;
    };
    await until("the run has ended", status, (now) => now === "interrupted");
    expect(performance.now() - stoppedAt).toBeLessThan(AT_ONCE_MS);
    await saying;
    expect(chat.now.isLoading).toBe(false);
  });

  test("[49] subagents: live cards with their own conversation, complete after a reload", async () => {
    const id = uuid();
    const chat = await client.chat(id, "deep");
    const seen = new Set<string>();
    chat.controller.subagentStore.subscribe(() => {
      for (const { name, status } of chat.controller.subagentStore.getSnapshot().values())
        seen.add(`${name} ${status}`);
    });
    await chat.say("go");
    const cards = await settledCards(chat);
    expect([...seen].sort()).toEqual([
      "math-whiz complete",
      "math-whiz running",
      "researcher complete",
      "researcher running",
    ]);
    await chat.until("the answer", () => chat.texts.at(-1)?.startsWith("Final answer: ") === true);
    expect(cards.every(({ status }) => status === "complete")).toBe(true);
    const conversation = (at: typeof chat, namespace: readonly string[]) => {
      const { store } = at.controller.registry.acquire(client.sdk.messagesProjection(namespace));
      return until(
        "the subagent's conversation",
        async () => store.getSnapshot().map(({ type, text }) => `${type}: ${text}`),
        // Its last message grows while it is read.
        (lines) => /^ai: Findings: .* question \d$/.test(lines[3] ?? ""),
      );
    };
    const [card] = cards;
    const told = await conversation(chat, present(card).namespace);
    expect(told).toEqual([
      expect.stringMatching(/^human: Research .* for question 1/),
      "ai: ",
      expect.stringMatching(/^tool: results for Research/),
      expect.stringMatching(/^ai: Findings: results for Research/),
    ]);
    const later = await client.chat(id, "deep");
    const again = present((await settledCards(later)).find(({ id: call }) => call === present(card).id));
    expect(again).toMatchObject({ status: "complete", name: present(card).name });
    expect(await conversation(later, again.namespace)).toEqual(told);
  });

  if (client.door === APP)
    test("[51] a thread that was only made ready is not loading", async () => {
      const id = uuid();
      await raw(id).call("POST", "/state", { values: { messages: [] } });
      const chat = await client.chat(id, "chat");
      expect(chat.now).toMatchObject({ isLoading: false, error: undefined, messages: [] });
      await chat.say("hello");
      await chat.shows(["hello", "You said: hello"]);
    });
});

/** Both cards, once they are complete and known by the namespaces that their subagents ran in. */
function settledCards(chat: Chat) {
  return until(
    "the cards",
    async () => [...chat.controller.subagentStore.getSnapshot().values()],
    (cards) =>
      cards.length === 2 &&
      cards.every(
        ({ status, namespace }) => status === "complete" && /^tools:[0-9a-f-]{36}$/.test(namespace[0] ?? ""),
      ),
  );
}
