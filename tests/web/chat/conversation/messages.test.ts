import { describe, expect, test } from "bun:test";
import { addFiles, contentOf } from "../../../../web/chat/composer/attachment.ts";
import {
  entriesOf,
  readMessage,
  readMessages,
  sameAnswer,
} from "../../../../web/chat/conversation/content.ts";
import {
  readAnswer,
  readRequest,
  reviewAnswer,
} from "../../../../web/chat/conversation/interrupts/payload.ts";
import { sumUsage } from "../../../../web/chat/conversation/messages/answer-view.tsx";

const human = (id: string, content: unknown) => ({ type: "human", id, content });
const ai = (id: string, content: unknown, more = {}) => ({ type: "ai", id, content, ...more });
const tool = (id: string, call: string, content: string, more = {}) => ({
  type: "tool",
  id,
  tool_call_id: call,
  content,
  ...more,
});

describe("a message is read", () => {
  test("text, reasoning, calls, usage and model of an answer", () => {
    const content = [
      { type: "reasoning", reasoning: "Let me see." },
      { type: "text", text: "It is " },
      { type: "text", text: "sunny." },
    ];
    const message = readMessage(
      ai("a", content, {
        tool_calls: [{ id: "c", name: "get_weather", args: { city: "Rome" } }],
        usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
        response_metadata: { model_name: "offline" },
      }),
    );
    expect(message).toMatchObject({
      role: "assistant",
      text: "It is sunny.",
      reasoning: "Let me see.",
      toolCalls: [{ id: "c", name: "get_weather", args: { city: "Rome" } }],
      usage: { input: 3, output: 4, total: 7 },
      model: "offline",
    });
  });

  test("a call whose arguments are still being written is there already", () => {
    const chunks = [{ id: "c", name: "search", args: '{"q": "be' }];
    expect(readMessage(ai("a", "", { tool_call_chunks: chunks }))?.toolCalls).toEqual([
      { id: "c", name: "search", args: {}, partial: '{"q": "be' },
    ]);
  });

  test("one object is read once, so that what did not change is not drawn again", () => {
    const raw = ai("a", "Hello");
    expect(readMessage(raw)).toBe(readMessage(raw) ?? expect.anything());
  });

  test("what is no message is left out", () => {
    expect(readMessages([null, 5, { type: "remove", id: "x" }, human("h", "Hi")])).toHaveLength(1);
    expect(readMessages(undefined)).toEqual([]);
  });

  test("files come back out of the content that they were sent in", async () => {
    const file = new File(["# Read me\n```\ncode\n```"], "read me.md", { type: "text/markdown" });
    const { attachments, wrong } = await addFiles(
      [{ kind: "image", url: "data:image/png;base64,AA" }],
      [file],
    );
    expect(wrong).toBeUndefined();
    const message = readMessage(human("h", contentOf("Look at these.", attachments)));
    expect(message?.text).toBe("Look at these.");
    expect(message?.attachments).toEqual(attachments);
    expect(contentOf("Only words.", [])).toBe("Only words.");
  });

  test("files that are too many, too large or unreadable are refused by name", async () => {
    const note = (name: string) => new File(["text"], name);
    const many = await addFiles(
      [],
      Array.from({ length: 9 }, (_, place) => note(`${place}.txt`)),
    );
    expect(many.attachments).toHaveLength(8);
    expect(many.wrong).toContain("8 files");
    const large = await addFiles([], [new File([new Uint8Array(5 * 1024 * 1024 + 1)], "large.txt")]);
    expect(large).toEqual({ attachments: [], wrong: "large.txt is larger than 5 MB." });
    const binary = await addFiles([], [new File([new Uint8Array([0, 255, 1])], "a.bin")]);
    expect(binary.attachments).toEqual([]);
    expect(binary.wrong).toContain("a.bin");
  });
});

describe("messages are folded into entries", () => {
  const conversation = readMessages([
    human("h1", "Weather?"),
    ai("a1", "I look.", { tool_calls: [{ id: "c1", name: "get_weather", args: {} }] }),
    tool("t1", "c1", "Sunny"),
    ai("a2", "It is sunny."),
    human("h2", "Thanks"),
    ai("a3", ""),
    ai("a4", "You are welcome."),
  ]);

  test("everything between two questions is one answer, tools with their calls, empty messages nowhere", () => {
    const entries = entriesOf(conversation).map((entry) =>
      entry.kind === "answer"
        ? [entry.id, entry.messages.map(({ id }) => id), entry.results.map(({ answers }) => answers)]
        : [entry.id],
    );
    expect(entries).toEqual([["h1"], ["a1", ["a1", "a2"], ["c1"]], ["h2"], ["a4", ["a4"], []]]);
  });

  test("an answer is the same as long as its messages are", () => {
    const [, first] = entriesOf(conversation);
    const [, again] = entriesOf(conversation);
    const [, shorter] = entriesOf(conversation.slice(0, 3));
    if (first?.kind !== "answer" || again?.kind !== "answer" || shorter?.kind !== "answer") throw new Error();
    expect(sameAnswer(first, again)).toBe(true);
    expect(sameAnswer(first, shorter)).toBe(false);
  });

  test("tokens are added up over those who told them", () => {
    const told = ai("a", "x", { usage_metadata: { input_tokens: 2, output_tokens: 1, total_tokens: 3 } });
    expect(sumUsage(readMessages([told, ai("b", "y"), { ...told, id: "c" }]))).toEqual({
      input: 4,
      output: 2,
      total: 6,
    });
    expect(sumUsage(readMessages([ai("b", "y")]))).toBeUndefined();
  });
});

describe("the payload of an interrupt is read", () => {
  test("a review of calls, with what each allows", () => {
    const payload = {
      action_requests: [
        { name: "send_email", args: { to: "a@b.c" }, description: "Sends." },
        { name: "delete", args: {} },
      ],
      review_configs: [{ action_name: "delete", allowed_decisions: ["approve", "reject"] }],
    };
    expect(readRequest(payload)).toEqual({
      kind: "review",
      form: "middleware",
      actions: [
        {
          name: "send_email",
          args: { to: "a@b.c" },
          description: "Sends.",
          allowed: ["approve", "edit", "reject"],
        },
        { name: "delete", args: {}, description: undefined, allowed: ["approve", "reject"] },
      ],
    });
  });

  test("questions in the form of Agent Inbox, alone or in a list, and their answers", () => {
    const question = (action: string, config: object) => ({
      action_request: { action, args: { to: "a@b.c" } },
      config: {
        allow_accept: false,
        allow_edit: false,
        allow_respond: false,
        allow_ignore: false,
        ...config,
      },
      description: "# A draft",
    });
    const all = { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true };
    const one = readRequest(question("send_email", all));
    expect(one).toEqual({
      kind: "review",
      form: "inbox",
      actions: [
        {
          ...{ name: "send_email", args: { to: "a@b.c" }, description: "# A draft" },
          allowed: ["accept", "edit", "respond", "ignore"],
        },
      ],
    });
    const two = readRequest([question("a", { allow_respond: true }), question("b", { allow_ignore: true })]);
    if (one.kind !== "review" || two.kind !== "review") throw new Error("not read");
    expect(two.actions.map(({ allowed }) => allowed)).toEqual([["respond"], ["ignore"]]);
    expect(reviewAnswer(two, [{ type: "respond", message: "later" }, { type: "ignore" }])).toEqual([
      { type: "response", args: "later" },
      { type: "ignore", args: null },
    ]);
    const edited_action = { name: "send_email", args: { to: "c@d.e" } };
    expect(reviewAnswer(one, [{ type: "edit", edited_action }])).toEqual([
      { type: "edit", args: { action: "send_email", args: { to: "c@d.e" } } },
    ]);
    expect(reviewAnswer(one, [{ type: "accept" }])).toEqual([
      { type: "accept", args: { action: "send_email", args: { to: "a@b.c" } } },
    ]);
  });

  test("a question about one call, a question in words, and anything else", () => {
    expect(readRequest({ question: "Shall I?", tool: "send_email", args: { to: "x" } })).toMatchObject({
      kind: "approval",
      question: "Shall I?",
      action: { name: "send_email", args: { to: "x" }, allowed: ["approve", "reject"] },
    });
    expect(readRequest("What is your name?")).toEqual({ kind: "question", question: "What is your name?" });
    expect(readRequest({ question: "Which?", min: 1 })).toEqual({
      kind: "question",
      question: "Which?",
      details: { min: 1 },
    });
    expect(readRequest([1, 2])).toMatchObject({ kind: "question", details: [1, 2] });
  });

  test("an answer is a value where it is JSON, and words otherwise", () => {
    expect(readAnswer('{"a": 1}')).toEqual({ a: 1 });
    expect(readAnswer("true")).toBe(true);
    expect(readAnswer("42")).toBe(42);
    expect(readAnswer("42 is too many")).toBe("42 is too many");
    expect(readAnswer("[not json")).toBe("[not json");
    expect(readAnswer('"quoted"')).toBe('"quoted"');
  });
});
