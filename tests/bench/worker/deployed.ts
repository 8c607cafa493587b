import { readFileSync } from "node:fs";
import { GATEWAY_HEADER } from "../../../server/http/gateway-token.ts";
import { DeploymentApi } from "../../e2e/deployment-api.ts";
import { langGraphBundle, type ProjectFiles } from "../../e2e/tiny-agent.ts";
import { processTree } from "../processes.ts";
import { BENCH_KEY } from "../servers.ts";

/** An address with what it wants to be sent with each request. */
export type Door = { url: string; headers: Record<string, string> };

export const api = (url: string) => new DeploymentApi(() => url, BENCH_KEY);

/** A deployment as its callers reach it. */
export const through = (url: string): Door => ({ url, headers: { "x-api-key": BENCH_KEY } });

/** Its process, past the gateway: what that is told in its environment. Reads /proc. */
export function direct(berthPid: number, deploymentId: string): Door {
  for (const pid of processTree(berthPid)?.pids ?? []) {
    const texts = new URLSearchParams(
      readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .map((text) => text.split("=").map(encodeURIComponent).join("="))
        .join("&"),
    );
    const file = texts.get("INSTANCE_FILE");
    if (!file?.includes(deploymentId)) continue;
    const { port } = JSON.parse(readFileSync(file, "utf8"));
    return {
      url: `http://127.0.0.1:${port}`,
      headers: { [GATEWAY_HEADER]: texts.get("GATEWAY_TOKEN") ?? "" },
    };
  }
  throw new Error("the deployment has no process of its own");
}

/** Writes as many custom events as it is told, at the pace that it is told, each with the time of its making. */
export async function eventsProject(): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { events: "./events.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "events.ts": `
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ count: Annotation, paceMs: Annotation });
const write = async ({ count, paceMs }, config) => {
  for (let n = 0; n < count; n += 1) {
    if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
    config.writer({ at: performance.timeOrigin + performance.now() });
  }
  return {};
};
export const graph = new StateGraph(State).addNode("write", write).addEdge("__start__", "write").compile();
`,
  };
}

type EventTimes = { latencies: number[]; perSecond: number };

/** Runs that project's graph, and reads its events: how long each was on its way, how many came in a second. */
export async function readEvents({ url, headers }: Door, count: number, paceMs: number): Promise<EventTimes> {
  const response = await fetch(`${url}/runs/stream`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "events", input: { count, paceMs }, stream_mode: "custom" }),
  });
  if (!response.ok || !response.body) throw new Error(`events: ${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  const latencies: number[] = [];
  let rest = "";
  let firstAt = 0;
  let lastAt = 0;
  for await (const bytes of response.body) {
    const now = performance.timeOrigin + performance.now();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const at = /"at":([\d.]+)/.exec(line)?.[1];
      if (at === undefined) continue;
      firstAt ||= Number(at);
      lastAt = now;
      latencies.push(now - Number(at));
    }
  }
  if (latencies.length !== count) throw new Error(`${latencies.length} of ${count} events came`);
  return { latencies, perSecond: (count / (lastAt - firstAt)) * 1000 };
}
