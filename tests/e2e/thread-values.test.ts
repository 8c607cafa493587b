import { describe, expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth({ project: `${import.meta.dir}/project` });

/** By graph: what a run is given, and what the state is then. */
const GRAPHS: [string, object, unknown][] = [
  ["greeting", { name: "Ada" }, { said: "hello Ada" }],
  ["counted", { name: "Ada" }, 9],
  ["defaults", {}, { said: "hello", list: [], counts: { none: 0 } }],
];

forEachSdk((Client) => {
  describe.each(GRAPHS)("the values of a thread of %s", (graph, input, values) => {
    test("are what its state says, wherever they are read", async () => {
      const client = new Client({ apiUrl: berth.url });
      const { thread_id } = await client.threads.create();
      // To look for an error, the client takes each result for an object.
      const raiseError = typeof values === "object";
      expect(await client.runs.wait(thread_id, graph, { input, raiseError } as never)).toEqual(
        values as never,
      );
      const state = await client.threads.getState(thread_id);
      expect(state.values).toEqual(values as never);
      const [run] = await client.runs.list(thread_id);
      expect(await client.runs.join(thread_id, run?.run_id ?? "")).toEqual(values as never);
      const copy = await client.threads.copy(thread_id);
      const ids = [thread_id, (copy as unknown as { thread_id: string }).thread_id];
      for (const id of ids) expect((await client.threads.get(id)).values).toEqual(values as never);
      if (typeof values !== "object") return;
      const found = await client.threads.search({ values: values as Record<string, unknown>, ids } as never);
      expect(found.map((thread) => thread.values)).toEqual([values, values] as never[]);
    });
  });
});
