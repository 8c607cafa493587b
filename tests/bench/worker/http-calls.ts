import { type Calls, describe, expectValues, field, INPUTS } from "./calls.ts";
import type { GraphName } from "./job.ts";
import { type Arrival, streamTimes } from "./sse.ts";

/** Sends JSON and returns the response, whose status must be a success. */
export async function send(
  base: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Plain fetch with Bun's own keep-alive, for any server that speaks the Agent Server's REST and SSE. */
export function httpCalls(base: string, headers: Record<string, string> = {}): Calls {
  const json = async (method: string, path: string, body?: object): Promise<unknown> =>
    (await send(base, method, path, body, headers)).json();
  const wait = (graph: GraphName, body: object, thread?: string): Promise<unknown> =>
    thread
      ? json("POST", `/threads/${thread}/runs/wait`, {
          assistant_id: graph,
          if_not_exists: "create",
          ...body,
        })
      : json("POST", "/runs/wait", { assistant_id: graph, ...body });
  return {
    async run(graph, thread) {
      expectValues(graph, await wait(graph, { input: INPUTS[graph] }, thread));
    },
    async interruptAndResume(thread) {
      await wait("approval", { input: INPUTS.approval }, thread);
      expectValues("approval", await wait("approval", { command: { resume: "yes" } }, thread));
    },
    async stream(graph) {
      const startedAt = performance.now();
      const body = { assistant_id: graph, input: INPUTS[graph], stream_mode: ["messages-tuple"] };
      const arrivals = await arrivalsOf(await send(base, "POST", "/runs/stream", body, headers));
      const closedAt = performance.now();
      return () => streamTimes(startedAt, arrivals, closedAt);
    },
    fill: (graph, thread, turns) => enqueueTurns(json, graph, thread, turns),
    async state(graph, thread) {
      expectValues(graph, field(await json("GET", `/threads/${thread}/state`), "values"));
    },
    async history(graph, thread, limit) {
      const states = await json("POST", `/threads/${thread}/history`, { limit });
      if (!Array.isArray(states) || states.length !== limit)
        throw new Error(`no history: ${describe(states)}`);
      expectValues(graph, field(states[0], "values"));
    },
  };
}

async function arrivalsOf(response: Response): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  if (!response.body) return arrivals;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    arrivals.push({ at: performance.now(), bytes: read.value });
  }
  return arrivals;
}

type Json = (method: string, path: string, body?: object) => Promise<unknown>;

async function enqueueTurns(json: Json, graph: GraphName, thread: string, turns: number): Promise<void> {
  const path = `/threads/${thread}/runs`;
  const body = { assistant_id: graph, input: INPUTS[graph], multitask_strategy: "enqueue" };
  for (let turn = 0; turn < turns; turn += 1) await json("POST", path, body);
  const unfinished = (run: unknown) => ["pending", "running"].includes(String(field(run, "status")));
  for (;;) {
    const runs = await json("GET", `${path}?limit=1000`);
    if (Array.isArray(runs) && !runs.some(unfinished)) return;
    await Bun.sleep(100);
  }
}
