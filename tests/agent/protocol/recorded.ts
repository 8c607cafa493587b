import { join } from "node:path";
import type { Agent } from "@berth/agent";
import type { ThreadFrame } from "../../../agent/events/thread-feed.ts";
import { eventually, openRunsRig } from "../runs/runs-rig.ts";

const PROJECT = join(import.meta.dir, "..", "..", "e2e", "protocol", "project");

/** What a run that a command starts writes into the log. */
const STREAMED = {
  stream_mode: ["values", "updates", "messages-tuple", "tools", "custom", "tasks"],
  stream_subgraphs: true,
  stream_resumable: true,
  thread_log: true,
};

/** Runs the scripted graphs and gives what the log then has of each. */
export async function record(graphs: string[]): Promise<Map<string, ThreadFrame[]>> {
  const rig = await openRunsRig(PROJECT);
  try {
    const { agent } = await rig.openAgent();
    const recorded = new Map<string, ThreadFrame[]>();
    for (const graph of graphs) recorded.set(graph, await framesOfRun(agent, graph));
    return recorded;
  } finally {
    await rig.close();
  }
}

async function framesOfRun(agent: Agent, assistant_id: string): Promise<ThreadFrame[]> {
  const { thread_id } = await agent.threads.create({});
  const input = { messages: [{ role: "user", content: "hello" }] };
  const request = { assistant_id, input, ...STREAMED };
  await agent.runs.create(request, { threadId: thread_id, headers: {}, follow: "none" });
  const idle = async () => (await agent.threads.get(thread_id)).status !== "busy";
  await eventually(`${assistant_id} has run`, idle);
  const frames: ThreadFrame[] = [];
  const stop = new AbortController();
  for await (const batch of agent.threadFrames(thread_id, 0, stop.signal)) {
    frames.push(...batch.items);
    if (frames.at(-1)?.name === "end") break;
  }
  stop.abort();
  return frames;
}
