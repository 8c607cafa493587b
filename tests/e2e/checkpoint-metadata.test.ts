import { expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, present, runIdOf } from "./stream-parts.ts";

const berth = servedBerth({ project: `${import.meta.dir}/project` });
const input = { messages: [{ role: "human", content: "hello" }] };

forEachSdk((Client) => {
  const ran = async () => {
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    const payload = { input, metadata: { mine: 1 }, streamMode: "debug", streamSubgraphs: true };
    const parts = await collect(client.runs.stream(thread_id, "nested", payload as never));
    const ofRun = { run_id: runIdOf(parts), graph_id: "nested", mine: 1, run_attempt: 1 };
    const ofServer = {
      langgraph_version: expect.stringMatching(/^\d+\./),
      ...{ langgraph_plan: "developer", langgraph_host: "self-hosted", langgraph_api_url: berth.url },
    };
    return { client, thread_id, parts, metadata: { ...ofRun, ...ofServer } };
  };
  type Checkpointed = { type: string; payload: { checkpoint: { checkpoint_ns: string } } };

  test("a checkpoint says which attempt of which run made it, on which server", async () => {
    const { client, thread_id, metadata } = await ran();
    const history = await client.threads.getHistory(thread_id);
    expect(history.length).toBeGreaterThan(3);
    for (const state of history) expect(state.metadata).toMatchObject(metadata);
  });

  test("one of a subgraph says which task it was, too", async () => {
    const { client, thread_id, metadata, parts } = await ran();
    const inner = present(parts.find(({ event }) => event.startsWith("debug|sub:")));
    const checkpoint_ns = (inner.data as Checkpointed).payload.checkpoint.checkpoint_ns;
    const state = await client.threads.getState(thread_id, { checkpoint_ns } as never);
    expect(state.metadata).toMatchObject({
      ...metadata,
      ...{ checkpoint_ns, langgraph_checkpoint_ns: checkpoint_ns, langgraph_node: "sub" },
      ...{
        langgraph_step: 1,
        langgraph_path: ["__pregel_pull", "sub"],
        langgraph_triggers: ["branch:to:sub"],
      },
    });
  });

  test("an edit names its graph and no run; a copied state says so, and a copied thread keeps what made it", async () => {
    const { client, thread_id, metadata } = await ran();
    await client.threads.updateState(thread_id, { values: input, asNode: "own" });
    const edited = present((await client.threads.getState(thread_id)).metadata);
    expect(edited).toMatchObject({ source: "update", graph_id: "nested" });
    expect(edited).not.toHaveProperty("run_id");
    await client.threads.updateState(thread_id, { values: null, asNode: "__copy__" });
    expect((await client.threads.getState(thread_id)).metadata).toMatchObject({ source: "fork" });
    const copy = (await client.threads.copy(thread_id)) as unknown as { thread_id: string };
    const made = (await client.threads.getHistory(copy.thread_id)).filter(({ metadata: of }) => of?.run_id);
    for (const state of made)
      expect(state.metadata).toMatchObject({
        ...metadata,
        ...{ thread_id: copy.thread_id, created_by: "system", assistant_id: expect.any(String) },
      });
    expect(made.length).toBeGreaterThan(3);
  });
});
