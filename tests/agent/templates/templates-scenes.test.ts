import { describe, expect, test } from "bun:test";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { TemplateName } from "../../../agent/templates/index.ts";
import { load, names, pace, TemplateThread } from "./template-thread.ts";

pace("0");

async function open(name: TemplateName) {
  return new TemplateThread(await load(name));
}

const calls = (messages: BaseMessage[]) =>
  messages.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []));
const results = (messages: BaseMessage[]) => messages.filter((message) => ToolMessage.isInstance(message));

describe.each(names)("every template: %s", (name) => {
  test("answers small talk in some forty tokens and says that it is the offline model", async () => {
    const thread = await open(name);
    const tokens = await thread.run("Good morning");
    expect(tokens.length).toBeGreaterThanOrEqual(30);
    expect(tokens.length).toBeLessThanOrEqual(50);
    expect(await thread.answer()).toContain("offline model");
    expect(calls(await thread.messages())).toEqual([]);
  });

  test("weather calls the tool with the place asked for, in any case", async () => {
    const thread = await open(name);
    await thread.run("WEATHER in New York, please");
    const messages = await thread.messages();
    expect(calls(messages)).toMatchObject([{ name: "get_weather", args: { city: "New York" } }]);
    expect(results(messages).map((result) => result.status)).not.toContain("error");
    expect(await thread.answer()).toContain("18 °C and sunny in New York");
  });

  test("fail gets an error from a tool and goes on", async () => {
    const thread = await open(name);
    await thread.run("Let something fail");
    const messages = await thread.messages();
    expect(results(messages)).toMatchObject([{ status: "error", name: "get_weather" }]);
    expect(await thread.answer()).toContain("tool failed");
    expect((await thread.state()).next).toEqual([]);
  });

  test("a later question starts from its own words, not from those before", async () => {
    const thread = await open(name);
    await thread.run("weather in Oslo");
    await thread.run("Thank you");
    expect(await thread.answer()).toContain("“Thank you”");
    await thread.run("weather in Oslo");
    const ids = calls(await thread.messages()).map((call) => call.id);
    expect(new Set(ids).size).toBe(2);
  });

  test("says the same, with the same tool call ids, when it is asked the same again", async () => {
    const said = async () => {
      const thread = await open(name);
      for (const question of ["hello", "weather in Rome", "fail", "research owls"])
        await thread.run(question);
      return (await thread.messages()).map((message) => [
        message.type,
        message.text,
        AIMessage.isInstance(message) ? message.tool_calls : [],
      ]);
    };
    expect(await said()).toEqual(await said());
  });
});

describe("deep-agent", () => {
  test("research writes a todo list and delegates to two subagents, one after the other", async () => {
    const thread = await open("deep-agent");
    const tokens = await thread.run("Research subagents");
    const messages = await thread.messages();
    expect(calls(messages).map((call) => call.args.subagent_type ?? call.name)).toEqual([
      "write_todos",
      "researcher",
      "write_todos",
      "writer",
      "write_todos",
    ]);
    const { values } = await thread.state();
    expect(values.todos?.map((todo) => todo.status)).toEqual(["completed", "completed"]);
    const visited = [...new Set(tokens.map((token) => token.namespace.join("|")))].filter(Boolean);
    expect(visited).toHaveLength(2);
    // The researcher's finding goes through the writer into the answer.
    expect(await thread.answer()).toContain("A subagent starts with a clean conversation");
  });

  test("send asks with the middleware's payload; approving sends", async () => {
    const thread = await open("deep-agent");
    await thread.run("Send a note to ada@example.org");
    expect(await thread.questions()).toMatchObject([
      {
        actionRequests: [{ name: "send_email", args: { to: "ada@example.org" } }],
        reviewConfigs: [{ actionName: "send_email", allowedDecisions: ["approve", "edit", "reject"] }],
      },
    ]);
    await thread.run(new Command({ resume: { decisions: [{ type: "approve" }] } }));
    expect(await thread.answer()).toContain("to ada@example.org is on its way");
  });

  test("send can be edited or rejected", async () => {
    const edited = await open("deep-agent");
    await edited.run("send it");
    const args = { to: "bob@example.org", subject: "Other", body: "Text" };
    const editedAction = { name: "send_email", args };
    await edited.run(new Command({ resume: { decisions: [{ type: "edit", editedAction }] } }));
    expect(await edited.answer()).toContain("“Other” to bob@example.org is on its way");

    const rejected = await open("deep-agent");
    await rejected.run("send it");
    await rejected.run(new Command({ resume: { decisions: [{ type: "reject", message: "Too early" }] } }));
    expect(await rejected.answer()).toContain("The email was not sent. Too early");
  });
});

describe("approval", () => {
  async function ask() {
    const thread = await open("approval");
    await thread.run("Please SEND a note to ada@example.org");
    return thread;
  }

  test("send pauses before the tool runs and says what it asks about", async () => {
    const thread = await ask();
    expect((await thread.state()).next).toEqual(["review"]);
    expect(await thread.questions()).toMatchObject([
      { question: "Shall I run send_email?", tool: "send_email", args: { to: "ada@example.org" } },
    ]);
    expect(results(await thread.messages())).toEqual([]);
  });

  test.each([[true], ["approve"], ["Yes"], [{ type: "approve" }]])("%p lets it through", async (resume) => {
    const thread = await ask();
    await thread.run(new Command({ resume }));
    expect(await thread.answer()).toContain("to ada@example.org is on its way");
    expect((await thread.state()).next).toEqual([]);
  });

  test.each([
    [false, "no reason given"],
    ["not yet", "not yet"],
    [{ type: "reject", message: "wrong address" }, "wrong address"],
    [{ type: "reject" }, "no reason given"],
  ])("%p declines", async (resume, reason) => {
    const thread = await ask();
    await thread.run(new Command({ resume }));
    const declined = results(await thread.messages());
    expect(declined).toMatchObject([{ status: "error", name: "send_email" }]);
    expect(await thread.answer()).toContain(`The email was not sent. The person declined: ${reason}`);
  });
});
