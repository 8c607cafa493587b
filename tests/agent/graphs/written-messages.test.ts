import { expect, test } from "bun:test";
import { WrittenMessages } from "../../../agent/graphs/written-messages.ts";

const token = (id: string, content: unknown, ns = "agent:1") => [
  { id, content, tool_call_chunks: [] },
  { langgraph_checkpoint_ns: ns },
];

test("what is written is known until a state has it; a subgraph's and thoughts are left out", () => {
  const written = new WrittenMessages();
  written.token(token("a", "Hel"));
  written.token(
    token("a", [
      { type: "text", text: "lo" },
      { type: "thinking", thinking: "hm" },
    ]),
  );
  written.token(token("b", "inside", "agent:1|model:2"));
  written.token(token("c", " "));
  written.token([{ id: "whole", content: "no token" }, {}]);
  expect(written.open).toEqual([{ id: "a", text: "Hello" }]);
  written.state({ messages: [{ id: "other" }] });
  expect(written.open).toHaveLength(1);
  written.state({ messages: [{ id: "a" }] });
  expect(written.open).toEqual([]);
});
