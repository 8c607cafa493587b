import { expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, eventSet, present } from "./stream-parts.ts";

const berth = servedBerth();

forEachSdk((Client) => {
  const onNewThread = async (assistant: string, payload: object) => {
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    return { client, thread_id, parts: await collect(client.runs.stream(thread_id, assistant, payload)) };
  };
  const nested = { input: { messages: [] }, streamMode: ["values", "updates"] };

  test("subgraphs stay unseen unless they are asked for", async () => {
    const { parts } = await onNewThread("nested", nested);
    expect(eventSet(parts)).toEqual(["metadata", "updates", "values"]);
    expect(dataOf<object>(parts, "updates").flatMap((update) => Object.keys(update))).toEqual([
      "gp_one",
      "gp_two",
    ]);
  });

  test("their events name the path of nodes and tasks behind the mode", async () => {
    const { parts } = await onNewThread("nested", { ...nested, streamSubgraphs: true });
    const task = "[0-9a-f-]{36}";
    const child = new RegExp(`^updates\\|gp_two:${task}\\|p_two:${task}$`);
    const parent = new RegExp(`^updates\\|gp_two:${task}$`);
    const told = parts.filter(({ event }) => event.startsWith("updates"));
    expect(
      told.map(({ event, data }) => [level(event, parent, child), ...Object.keys(data as object)]),
    ).toEqual([
      ["root", "gp_one"],
      ["parent", "p_one"],
      ["child", "c_one"],
      ["child", "c_two"],
      ["parent", "p_two"],
      ["root", "gp_two"],
    ]);
    const last = present(dataOf<{ messages: string[] }>(parts, "values").at(-1));
    const entered = ["gp_one", "p_one", "c_one", "c_two"].map((node) => `Entered ${node} node`);
    expect(new Set(last.messages)).toEqual(new Set(entered));
  });

  test("every mode that may carry subgraphs does", async () => {
    const streamMode = ["values", "updates", "debug", "tasks", "checkpoints"];
    const { parts } = await onNewThread("nested", { ...nested, streamMode, streamSubgraphs: true });
    const modes = new Set(
      eventNames(parts).flatMap((name) => (name.includes("|") ? [name.split("|")[0]] : [])),
    );
    expect([...modes].sort()).toEqual(["checkpoints", "debug", "tasks", "updates", "values"]);
  });
});

/** Which of the three graphs in each other an event is of. */
function level(event: string, parent: RegExp, child: RegExp): string {
  if (event === "updates") return "root";
  return parent.test(event) ? "parent" : child.test(event) ? "child" : event;
}
