import { expect, test } from "bun:test";
import { IN_PYTHON } from "./berth-process.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth();

// LangGraph draws them otherwise in Python.
const START = { id: "__start__", type: IN_PYTHON ? "runnable" : "schema" };
const END = { id: "__end__", ...(!IN_PYTHON && { type: "schema" }) };

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url }).assistants;
  const missing = () => crypto.randomUUID();

  test("a graph's drawing: nodes with their kind, edges with their condition", async () => {
    const { nodes, edges } = await connect().getGraph("agent");
    expect(nodes).toMatchObject([
      START,
      { id: "agent", type: "runnable", data: { name: "agent" } },
      { id: "tool", type: "runnable", data: { name: "tool" } },
      END,
    ]);
    expect(edges).toContainEqual({ source: "agent", target: "tool", conditional: true });
    expect(edges).toContainEqual({ source: "tool", target: "agent", conditional: false });
    await expect(connect().getGraph(missing())).rejects.toThrow(/HTTP 404/);
  });

  test("as many levels of its subgraphs as are asked for", async () => {
    const ids = async (xray?: boolean | number) =>
      (await connect().getGraph("nested", { xray })).nodes.map(({ id }) => String(id));
    expect(await ids()).toContain("gp_two");
    expect(await ids(0)).toEqual(await ids(false));
    const one = ["__start__", "gp_one", "gp_two:p_one", "gp_two:p_two", "__end__"];
    expect((await ids(1)).sort()).toEqual(one.sort());
    expect(await ids(2)).toEqual(await ids(true));
    expect(await ids(true)).toContain("gp_two:p_two:c_one");
  });

  test("a graph that is made from its settings is drawn as they say", async () => {
    const config = { configurable: { nodeName: "named" } };
    const { assistant_id } = await connect().create({ graphId: "dynamic", config });
    expect((await connect().getGraph(assistant_id)).nodes.map(({ id }) => id)).toContain("named");
  });

  test("subgraphs with their schemas, under both families of names", async () => {
    const direct = await connect().getSubgraphs("nested");
    expect(Object.keys(direct)).toEqual(["gp_two"]);
    const all = await connect().getSubgraphs("nested", { recurse: true });
    expect(Object.keys(all)).toEqual(["gp_two", "gp_two|p_two"]);
    expect(all["gp_two|p_two"]).toMatchObject({
      state_schema: { properties: { messages: { type: "array" } } },
      state: { properties: { messages: { type: "array" } } },
    });
    const one = await connect().getSubgraphs("nested", { namespace: "gp_two|p_two" });
    expect(Object.keys(one)).toEqual(["gp_two|p_two"]);
    expect(await connect().getSubgraphs("nested", { namespace: "nowhere" })).toEqual({});
    expect(await connect().getSubgraphs("agent")).toEqual({});
    await expect(connect().getSubgraphs(missing())).rejects.toThrow(/HTTP 404/);
  });
});
