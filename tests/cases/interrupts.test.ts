import { expect, test } from "bun:test";
import { dataOf } from "../e2e/stream-parts.ts";
import { describeCase } from "./case.ts";
import { CaseThread, questionsOf, type Result } from "./runs.ts";

type Messages = { messages: { content: string }[] };

describeCase("python/interrupt-values", (served) => {
  const input = { messages: [] };
  const asked = { messages: [expect.objectContaining({ content: "a" })], __interrupt__: [expect.anything()] };

  test("the result has the state beside the interrupts, also from the log", async () => {
    const thread = new CaseThread(served, "agent");
    const result = await thread.wait({ input });
    expect(result).toEqual(asked);
    expect(questionsOf(result)).toEqual([{ ask: "ok?" }]);
    expect(await thread.join()).toEqual(result);
    const stateless = await thread.client.runs.wait(null, "agent", { input });
    expect(stateless as object).toEqual(asked);
    const done = (await thread.wait({ command: { resume: "yes" } })) as unknown as Messages;
    expect(done.messages.map(({ content }) => content)).toEqual(["a", "b yes"]);
    expect(done).not.toHaveProperty("__interrupt__");
  });

  test("so does the last event of values, and a join of a stream", async () => {
    const thread = new CaseThread(served, "agent");
    const parts = await thread.stream({ input }, ["values", "updates"]);
    expect(parts.at(-1)?.event).toBe("values");
    expect(dataOf<object>(parts, "values").at(-1)).toEqual(asked);
    expect(await thread.join()).toEqual(asked);
    expect((await thread.get()).status).toBe("interrupted");
  });
});

describeCase("python/static-breakpoint", (served) => {
  const input = { messages: [] };

  test("the result and the last state are plain; no further event says that the run stopped", async () => {
    const thread = new CaseThread(served, "agent");
    const plain = { messages: [expect.objectContaining({ content: "a" })] };
    expect(await thread.wait({ input })).toEqual(plain);
    expect(await thread.join()).toEqual(plain);
    expect((await thread.get()).status).toBe("interrupted");
    const other = new CaseThread(served, "agent");
    const parts = await other.stream({ input }, ["values"]);
    expect(dataOf<object>(parts, "values")).toEqual([{ messages: [] }, plain]);
    expect(await other.join()).toEqual(plain);
    expect((await other.state()).next).toEqual(["b"]);
    const stateless = await other.client.runs.wait(null, "agent", { input });
    expect(stateless as object).toEqual(plain);
  });
});

describeCase("python/run-semantics", (served) => {
  test("an interrupt with an output schema shows the output", async () => {
    const thread = new CaseThread(served, "private");
    const asked = { answer: "42", __interrupt__: [expect.objectContaining({ value: "sure?" })] };
    expect(await thread.wait({ input: { question: "q" } })).toEqual(asked);
    expect(await thread.join()).toEqual(asked);
  });

  test("parallel interrupts are in one result beside the state, also from the log", async () => {
    const thread = new CaseThread(served, "parallel");
    const input = { got: ["x"] };
    const result = await thread.wait({ input });
    expect(result).toMatchObject(input);
    expect(questionsOf(result)).toEqual(["one?", "two?"]);
    expect(await thread.join()).toEqual(result);
    const other = new CaseThread(served, "parallel");
    const parts = await other.stream({ input }, ["values"]);
    const states = dataOf<Result>(parts, "values");
    expect(states.map(questionsOf)).toEqual([[], ["one?"], ["two?"]]);
    const joined = await other.join();
    expect([joined.got, questionsOf(joined)]).toEqual([["x"], ["one?", "two?"]]);
  });

  test("a functional graph keeps the key __interrupt__ of what it returns", async () => {
    const thread = new CaseThread(served, "returns_key");
    const returned = { a: 1, __interrupt__: [] };
    expect(await thread.wait({ input: {} })).toEqual(returned);
    expect(await thread.join()).toEqual(returned);
    expect((await thread.get()).status).toBe("idle");
    const parts = await thread.stream({ input: {} }, ["values"]);
    expect(dataOf<object>(parts, "values")).toEqual([returned]);
    expect(await thread.join()).toEqual(returned);
    const asking = new CaseThread(served, "asks");
    expect(await asking.wait({ input: {} })).toEqual({ __interrupt__: [expect.anything()] });
    expect(await asking.wait({ command: { resume: 3 } })).toEqual({ a: 3 });
  });
});

describeCase("javascript/interrupts", (served) => {
  const input = { got: ["x"] };

  test("one interrupt is the whole result, as LangGraph.js emits it", async () => {
    const thread = new CaseThread(served, "one");
    const result = await thread.wait({ input });
    expect(Object.keys(result)).toEqual(["__interrupt__"]);
    expect(await thread.join()).toEqual(result);
  });

  test("several interrupts are in one result beside the state", async () => {
    const thread = new CaseThread(served, "two");
    const result = await thread.wait({ input });
    expect([result.got, questionsOf(result)]).toEqual([["x"], ["one?", "two?"]]);
    expect(await thread.join()).toEqual(result);
    const [first, second] = result.__interrupt__ ?? [];
    const rest = await thread.wait({ command: { resume: { [first?.id ?? ""]: "A" } } });
    expect([rest.got, questionsOf(rest)]).toEqual([["x", "A"], ["two?"]]);
    expect(await thread.join()).toEqual(rest);
    const done = await thread.wait({
      command: { resume: { [second?.id ?? ""]: "B" }, update: { note: "n" } },
    });
    expect(done).toEqual({ got: ["x", "A", "B"], note: "n" });
  });

  test("a state that follows an interrupt is in the result: of a task that ended later, of goto with update", async () => {
    const half = new CaseThread(served, "half");
    const parts = await half.stream({ input }, ["values"]);
    expect(dataOf<object>(parts, "values").at(-1)).toEqual({ got: ["x", "done"] });
    const joined = await half.join();
    expect([joined.got, questionsOf(joined)]).toEqual([["x", "done"], ["one?"]]);
    const thread = new CaseThread(served, "one");
    await thread.wait({ input });
    const again = await thread.wait({ command: { goto: "first", update: { note: "n" } } });
    expect([again.got, again.note, questionsOf(again)]).toEqual([["x", "a", "a"], "n", ["one?"]]);
    expect(await thread.join()).toEqual(again);
  });

  test("a functional graph keeps the key __interrupt__ of what it returns", async () => {
    const thread = new CaseThread(served, "returnsKey");
    const returned = { a: 1, __interrupt__: [] };
    expect(await thread.wait({ input: {} })).toEqual(returned);
    expect(await thread.join()).toEqual(returned);
    expect((await thread.get()).status).toBe("idle");
  });
});
