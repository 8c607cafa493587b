import { expect, test } from "bun:test";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { servedBerth } from "../served-berth.ts";

const berth = servedBerth();
const remote = (graphId: string) => new RemoteGraph({ graphId, url: berth.url });

test("RemoteGraph draws the graph, as deep as it is asked to", async () => {
  const nodes = async (xray: boolean | number) => {
    const drawing = await remote("nested").getGraphAsync({ xray } as object);
    return Object.keys(drawing.nodes);
  };
  expect(await nodes(false)).toEqual(["__start__", "gp_one", "gp_two", "__end__"]);
  expect(await nodes(1)).toEqual(["__start__", "gp_one", "gp_two:p_one", "gp_two:p_two", "__end__"]);
  expect(await nodes(true)).toEqual(await nodes(2));
  expect(await nodes(true)).toContain("gp_two:p_two:c_two");
});

test("RemoteGraph lists the subgraphs, those inside others too, or the one at a namespace", async () => {
  const names = async (namespace?: string, recurse?: boolean) => {
    const found: string[] = [];
    for await (const [name] of remote("nested").getSubgraphsAsync(namespace, recurse)) found.push(name);
    return found;
  };
  expect(await names()).toEqual(["gp_two"]);
  expect(await names(undefined, true)).toEqual(["gp_two", "gp_two|p_two"]);
  expect(await names("gp_two|p_two")).toEqual(["gp_two|p_two"]);
  expect(await names("nowhere", true)).toEqual([]);
});
