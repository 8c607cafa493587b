import { expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { template } from "./berth-process.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, present } from "./stream-parts.ts";

const deepAgent = servedBerth({ project: template("deep-agent") });
const approval = servedBerth({ project: template("approval") });
const input = { messages: [{ role: "human", content: "send it to ada@example.org" }] };
const bob = { to: "bob@example.org", subject: "Other", body: "Text" };

type Json = Record<string, unknown>;
type Config = { action_name?: unknown; allowed_decisions?: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** When Agent Chat UI, Agent Inbox and deep-agents-ui draw an approval (agent-chat-ui's own rule is the strictest). */
function canApprove(value: unknown): boolean {
  const [asked] = [value].flat();
  if (!isObject(asked)) return false;
  const { action_requests: requests, review_configs: configs } = asked;
  if (!Array.isArray(requests) || !Array.isArray(configs)) return false;
  const decisions = ["approve", "edit", "reject"];
  return (
    requests.length > 0 &&
    configs.length > 0 &&
    requests.every((one) => isObject(one) && typeof one.name === "string" && isObject(one.args)) &&
    configs.every(
      ({ action_name, allowed_decisions }: Config) =>
        typeof action_name === "string" &&
        Array.isArray(allowed_decisions) &&
        allowed_decisions.every((one) => decisions.includes(one)),
    )
  );
}

/** The values of all interrupts anywhere in what a client was sent. */
function asked(sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent.flatMap(asked);
  if (!isObject(sent)) return [];
  const { value } = sent;
  const isQuestion = isObject(value) && ("actionRequests" in value || "action_requests" in value);
  return isQuestion ? [value] : Object.values(sent).flatMap(asked);
}

async function stopped(apiUrl: string) {
  const client = new Client({ apiUrl });
  const { thread_id } = await client.threads.create();
  const [assistant] = await client.assistants.search();
  const { assistant_id } = present(assistant);
  const streamMode = ["values" as const, "updates" as const, "tasks" as const, "debug" as const];
  const parts = await collect(client.runs.stream(thread_id, assistant_id, { input, streamMode }));
  const resume = async (answer: unknown) =>
    JSON.stringify(await client.runs.wait(thread_id, assistant_id, { command: { resume: answer } }));
  return { client, thread_id, assistant_id, parts, resume };
}

test.each([
  ["deep-agent", deepAgent],
  ["approval", approval],
])("%s: the question can be approved wherever it is read", async (_, berth) => {
  const { client, thread_id, assistant_id, parts, resume } = await stopped(berth.url);
  const of = (mode: string) => parts.filter(({ event }) => event === mode).map(({ data }) => data);
  const seen = {
    values: of("values"),
    updates: of("updates"),
    tasks: of("tasks"),
    debug: of("debug"),
    state: await client.threads.getState(thread_id),
    history: await client.threads.getHistory(thread_id),
    thread: await client.threads.get(thread_id),
    search: await client.threads.search({ ids: [thread_id] }),
    wait: await client.runs.wait((await stopped(berth.url)).thread_id, assistant_id, { input }),
  };
  for (const [place, sent] of Object.entries(seen)) {
    const questions = asked(sent);
    expect([place, questions.length > 0, questions.every(canApprove)]).toEqual([place, true, true]);
  }
  expect(await resume({ decisions: [{ type: "approve" }] })).toContain("to ada@example.org is on its way");
});

test("deep-agent: both spellings say the same, and an edit is taken in either", async () => {
  for (const key of ["edited_action", "editedAction"]) {
    const { client, thread_id, resume } = await stopped(deepAgent.url);
    const [question] = asked((await client.threads.getState(thread_id)).tasks);
    const { action_requests, actionRequests, review_configs, reviewConfigs } = question as Json;
    expect(actionRequests).toEqual(action_requests);
    expect(reviewConfigs).toEqual(review_configs);
    expect(reviewConfigs).toMatchObject([
      {
        actionName: "send_email",
        action_name: "send_email",
        allowedDecisions: ["approve", "edit", "reject"],
      },
    ]);
    const edited = { type: "edit", [key]: { name: "send_email", args: bob } };
    expect(await resume({ decisions: [edited] })).toContain("to bob@example.org is on its way");
  }
});

test("approval: a rejection's message reaches the model", async () => {
  const { resume } = await stopped(approval.url);
  const rejected = await resume({ decisions: [{ type: "reject", message: "wrong address" }] });
  expect(rejected).toContain("The person declined: wrong address");
});
