// Runs every script without Berth, with LangGraph's own checkpointer, and prints the result as JSON.
import { Command, MemorySaver, type Pregel } from "@langchain/langgraph";
import { encode } from "../../../../agent/wire.ts";
import type { Seen, SeenState, Step } from "../seen.ts";
import * as graphs from "./graphs.ts";

// biome-ignore lint/suspicious/noExplicitAny: graphs of many types
type AnyGraph = Pregel<any, any>;

const MODES = ["values", "updates", "custom"] as const;

async function run(name: string, script: Step[]): Promise<Seen> {
  const graph = (graphs as unknown as Record<string, AnyGraph>)[name];
  if (!graph) throw new Error(`no graph ${name}`);
  graph.checkpointer = new MemorySaver();
  const config = { configurable: { thread_id: name } };
  const chunks: Seen["chunks"] = [];
  let error: Seen["error"] = null;
  for (const { input, resume } of script) {
    const given = resume === undefined ? input : new Command({ resume });
    try {
      const options = { ...config, streamMode: [...MODES], subgraphs: true };
      for await (const chunk of await graph.stream(given, options)) {
        const [namespace, mode, payload] = chunk as unknown as [string[], string, unknown];
        chunks.push([namespace.map((part) => part.split(":")[0] ?? ""), mode, payload]);
      }
    } catch (thrown) {
      const { name: type, message } = thrown as Error;
      error = { error: type, message };
    }
  }
  const history: SeenState[] = [];
  for await (const { values, next, metadata, tasks } of graph.getStateHistory(config))
    history.push({
      values,
      next: [...next],
      source: String(metadata?.source),
      step: Number(metadata?.step),
      interrupts: tasks.map((task) => [task.name, task.interrupts.map(({ value }) => value)]),
    });
  return { script, chunks, error, history };
}

const seen: Record<string, Seen> = {};
for (const [name, script] of Object.entries(graphs.scripts)) seen[name] = await run(name, script);
console.log(encode(seen));
