import { expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames } from "./stream-parts.ts";

const berth = servedBerth({ project: `${import.meta.dir}/project` });
const payload = { input: { messages: [{ role: "human", content: "hello" }] } };
const said = ["from the subgraph", "from the subgraph", "from the graph"];
const ofSubgraphs = (name: string) => name.includes("|");

forEachSdk((Client) => {
  const streamed = (streamMode: string[], streamSubgraphs = false) => {
    const client = new Client({ apiUrl: berth.url });
    return collect(client.runs.stream(null, "nested", { ...payload, streamMode, streamSubgraphs } as never));
  };

  test("messages has what models say in subgraphs, also where no subgraphs are streamed", async () => {
    for (const streamSubgraphs of [false, true]) {
      const parts = await streamed(["messages"], streamSubgraphs);
      const partials = dataOf<[{ id: string; content: string }]>(parts, "messages/partial");
      const whole = new Map(partials.map(([{ id, content }]) => [id, content]));
      expect([...whole.values()]).toEqual(said);
      expect(partials).toHaveLength(said.join("").length);
      expect(dataOf(parts, "messages/metadata")).toHaveLength(said.length);
    }
  });

  test("the other modes have nothing of subgraphs then", async () => {
    const parts = await streamed(["messages", "messages-tuple", "values", "updates", "tasks", "debug"]);
    const names = eventNames(parts);
    expect(names.filter(ofSubgraphs)).toEqual([]);
    const alone = await streamed(["messages-tuple", "values", "updates", "tasks", "debug"]);
    const others = names.filter((name) => !name.startsWith("messages/"));
    expect(others.sort()).toEqual(eventNames(alone).sort());
    const fromSubgraphs = (await streamed(["messages-tuple"], true))
      .map(({ event }) => event)
      .filter(ofSubgraphs);
    expect(fromSubgraphs.length).toBeGreaterThan(30);
  });
});
