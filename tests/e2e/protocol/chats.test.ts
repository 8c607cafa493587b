import { afterAll, expect, test } from "bun:test";
import { present } from "../stream-parts.ts";
import { type Chat, forEachClient } from "./chat-client.ts";
import { ProtocolThread, say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";

const { berth } = servedProtocol();
const uuid = () => crypto.randomUUID();
const asked = (chat: Chat) => chat.until("the question", ({ interrupts }) => interrupts.length > 0);

// What a page does beyond cases 44–52 of the protocol's list.
forEachClient(berth, (client, name) => {
  afterAll(() => client.close());

  const knowsRuns = name.includes("1.15.0");
  const raw = (id: string) => new ProtocolThread(berth.url, client.door, id);

  test("a fork from an earlier checkpoint goes on from there", async () => {
    const id = uuid();
    const chat = await client.chat(id, "chat");
    await chat.say("one");
    await chat.shows(["one", "You said: one"]);
    const from = present((await raw(id).state()).checkpoint).checkpoint_id;
    await chat.say("two");
    await chat.shows(["one", "You said: one", "two", "You said: two"]);
    await chat.say("other", { forkFrom: from });
    await chat.shows(["one", "You said: one", "other", "You said: other"]);
    const again = await client.chat(id, "chat");
    await again.shows(["one", "You said: one", "other", "You said: other"]);
  });

  test("a run that fails is an error with its text, and the next one clears it", async () => {
    const chat = await client.chat(uuid(), "error");
    await chat.say("go");
    const { error } = await chat.until("the failure", (now) => now.error !== undefined && !now.isLoading);
    expect(String(error)).toContain("kaboom");
    // Older clients cannot tell runs apart: the end of this one, which the slower of their streams has yet to bring,
    // is taken for that of a run that is started at once.
    if (!knowsRuns) return;
    await chat.say("fine");
    await chat.shows(["go", "fine", "You said: fine"]);
    expect(chat.now.error).toBeUndefined();
  });

  test("tool calls are seen with their input, output and end", async () => {
    const chat = await client.chat(uuid(), "tool");
    await chat.say("weather");
    const { toolCalls } = await chat.until("the call", (now) => now.toolCalls[0]?.status === "finished");
    expect(toolCalls).toMatchObject([
      { name: "get_weather", callId: "call_1", input: { city: "Paris on the Seine" } },
    ]);
    await chat.say("broken");
    // The client calls it finished as soon as the tool's message is there; the message says what went wrong.
    const more = await chat.until(
      "the second call",
      (now) => (now.toolCalls[1]?.status ?? "running") !== "running",
    );
    expect(more.toolCalls[1]).toMatchObject({ name: "break_down", callId: "call_2" });
    await chat.until("its end", () => chat.texts.at(-2)?.startsWith("Error: the tool broke down") === true);
    await chat.until("the end", ({ isLoading }) => !isLoading);
  });

  test("a question that one page answers is no longer asked on the others", async () => {
    const id = uuid();
    await raw(id).run("interrupt", say("go"));
    const [one, two] = [await client.chat(id, "interrupt"), await client.chat(id, "interrupt")];
    const [first] = (await asked(one)).interrupts;
    await asked(two);
    await one.controller.respond("yes", { interruptId: present(first).id });
    for (const page of [one, two]) {
      await page.shows(["go", 'answer: "yes"']);
      await page.until("the end", ({ isLoading }) => !isLoading);
    }
    // Older clients do not know the event that tells so.
    if (knowsRuns) expect(two.now.interrupts).toEqual([]);
  });

  test("an answer that comes too late leaves nothing hanging", async () => {
    const id = uuid();
    await raw(id).run("interrupt", say("go"));
    const chat = await client.chat(id, "interrupt");
    const [question] = (await asked(chat)).interrupts;
    await raw(id).run("interrupt", "from elsewhere");
    const late = chat.controller.respond("too late", { interruptId: present(question).id });
    await late.catch(() => undefined);
    await chat.until("it is over", ({ isLoading }) => !isLoading);
    expect((await raw(id).state()).values.log).toEqual(["draft", 'answer: "from elsewhere"']);
    await chat.say("go on");
    await asked(chat);
  });
});
