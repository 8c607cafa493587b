import { expect, test } from "bun:test";
import { dataOf } from "../e2e/stream-parts.ts";
import { describeCase } from "./case.ts";
import { CaseThread } from "./runs.ts";

describeCase("python/output-schema", (served) => {
  const input = { question: "q" };

  test("a run outputs the channels of the output schema only", async () => {
    const thread = new CaseThread(served, "agent");
    expect(await thread.wait({ input })).toEqual({ answer: "42" });
    expect(await thread.join()).toEqual({ answer: "42" });
    expect((await thread.state()).values).toMatchObject({ answer: "42", secret: "inner" });
    const stateless = await thread.client.runs.wait(null, "agent", { input });
    expect(stateless as object).toEqual({ answer: "42" });
  });

  test("so do the streams of values and updates, and a join after them", async () => {
    const thread = new CaseThread(served, "agent");
    const parts = await thread.stream({ input }, ["values", "updates"]);
    expect(dataOf<object>(parts, "values")).toEqual([{ answer: "42" }]);
    expect(dataOf<object>(parts, "updates")).toEqual([{ a: { answer: "42" } }]);
    expect(await thread.join()).toEqual({ answer: "42" });
  });

  test("so do events, and a stream that joins a run without readers", async () => {
    const thread = new CaseThread(served, "agent");
    const parts = await thread.stream({ input }, ["events", "values"]);
    expect(dataOf<object>(parts, "values")).toEqual([{ answer: "42" }]);
    await thread.wait({ input });
    const id = await thread.id();
    const [run] = await thread.client.runs.list(id);
    const joined = await fetch(`${served.url}/threads/${id}/runs/${run?.run_id}/stream?stream_mode=values`, {
      headers: served.headers,
    });
    const states = (await joined.text()).match(/(?<=event: values\ndata: ).*/g);
    expect(states).toEqual(['{"answer":"42"}']);
  });
});

describeCase("python/subgraph-output", (served) => {
  test("a subgraph hands up its output only", async () => {
    const thread = new CaseThread(served, "agent");
    const parts = await thread.stream({ input: { text: "t" } }, ["values", "messages-tuple"], true);
    const expected = { text: "t", left: "L", right: "R" };
    expect(dataOf<object>(parts, "values").at(-1)).toEqual(expected);
    expect(dataOf<object>(parts, "error")).toEqual([]);
    expect(await thread.wait({ input: { text: "t" } })).toEqual(expected);
    expect((await thread.state()).values).toEqual(expected);
  });
});

describeCase("python/run-semantics", (served) => {
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const input = { messages: [{ role: "user", content: "hi", id: "h" }] };

  test("models stream only where tokens or events are requested", async () => {
    for (const graph of ["model", "outer_model"]) {
      const thread = new CaseThread(served, graph);
      const contents: Record<string, unknown> = {};
      for (const mode of ["values", "updates", "tasks", "messages", "messages-tuple", "events"]) {
        await thread.stream({ input: { messages: [{ ...input.messages[0], id: mode }] } }, [mode]);
        const { messages } = (await thread.state()).values as { messages: Record<string, unknown>[] };
        contents[mode] = messages.at(-1)?.content;
        expect(messages.at(-1)?.usage_metadata).toEqual(usage);
      }
      const whole = { values: "whole", updates: "whole", tasks: "whole" };
      const streamed = { messages: "streamed", "messages-tuple": "streamed", events: "streamed" };
      expect(contents).toEqual({ ...whole, ...streamed });
    }
  });

  test("tokens have the type AIMessageChunk, whole messages and partial ones their own", async () => {
    const thread = new CaseThread(served, "fixed_answer");
    const parts = await thread.stream({ input }, ["messages-tuple", "messages"]);
    const tuples = dataOf<[{ type: string; content: string }, object]>(parts, "messages");
    expect(tuples.map(([{ type, content }]) => [type, content])).toEqual([
      ["ai", "fixed"],
      ["AIMessageChunk", "stre"],
      ["AIMessageChunk", "am"],
      ["AIMessageChunk", "ed"],
      ["AIMessageChunk", ""],
    ]);
    const partial = dataOf<{ type: string }[]>(parts, "messages/partial").flat();
    expect(new Set(partial.map(({ type }) => type))).toEqual(new Set(["ai"]));
  });
});
