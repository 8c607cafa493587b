import { NotFound, type Run } from "@berth/store";
import type { ThreadEvent } from "../protocol/index.ts";
import {
  type CommandCall,
  type CommandDeps,
  type CommandResult,
  ProtocolError,
  requireThread,
} from "./command-call.ts";

type AgentStatus = "started" | "running" | "completed" | "failed" | "interrupted";
type AgentNode = {
  namespace: readonly string[];
  status: AgentStatus;
  graph_name: string;
  children?: AgentNode[];
};

const LIFECYCLE = { channels: new Set(["lifecycle"]) };

/** The graph of a run, by default the newest, with its subgraphs and how each of them stands. */
export async function agentGetTree(
  deps: CommandDeps,
  { threadId, params }: CommandCall,
): Promise<CommandResult> {
  const run_id = params.text("run_id");
  await requireThread(deps, threadId);
  const run = run_id === undefined ? await newestRun(deps, threadId) : await runOf(deps, threadId, run_id);
  const found = await agentNodes(deps, run);
  const root = found.find(({ namespace }) => namespace.length === 0) ?? restOf(run);
  const nodes = found.filter(({ namespace }) => namespace.length > 0);
  const byNamespace = new Map([root, ...nodes].map((node) => [keyOf(node.namespace), node]));
  for (const node of nodes) {
    const parent = parentOf(node, byNamespace) ?? root;
    parent.children ??= [];
    parent.children.push(node);
  }
  return { result: { tree: root } };
}

/** Every namespace of a run, the root first, with its last status. None when the log has nothing of the run. */
export async function agentNodes({ events }: CommandDeps, run: Run): Promise<AgentNode[]> {
  const nodes = new Map<string, AgentNode>();
  const gone = new AbortController();
  // From the beginning: without a position, what older runs say of their end is left out.
  const batches = events.follow(run.thread_id, { filter: LIFECYCLE, since: 0, signal: gone.signal });
  for await (const { events: some, live } of batches) {
    for (const event of some) {
      if (event.run_id === run.run_id) nodes.set(keyOf(event.namespace), nodeOf(event));
    }
    if (live) break;
  }
  gone.abort();
  return [...nodes.values()].sort((one, other) => one.namespace.length - other.namespace.length);
}

function nodeOf({ namespace, json }: ThreadEvent): AgentNode {
  const { params } = JSON.parse(json) as { params: { data: { event: AgentStatus; graph_name?: string } } };
  const { event, graph_name } = params.data;
  return { namespace, status: event, graph_name: graph_name ?? namespace.at(-1)?.split(":")[0] ?? "root" };
}

const keyOf = (namespace: readonly string[]): string => namespace.join("|");

/** The closest node that a node's namespace lies in. */
function parentOf({ namespace }: AgentNode, nodes: ReadonlyMap<string, AgentNode>): AgentNode | undefined {
  for (let length = namespace.length - 1; length > 0; length -= 1) {
    const parent = nodes.get(keyOf(namespace.slice(0, length)));
    if (parent) return parent;
  }
  return undefined;
}

const statuses: Record<Run["status"], AgentStatus> = {
  pending: "started",
  running: "running",
  success: "completed",
  error: "failed",
  timeout: "failed",
  interrupted: "interrupted",
};

/** A run that has not begun, or whose events are forgotten. */
function restOf({ status, kwargs }: Run): AgentNode {
  return { namespace: [], status: statuses[status], graph_name: String(kwargs.graph_id) };
}

async function newestRun({ runs }: CommandDeps, threadId: string): Promise<Run> {
  const [run] = await runs.list(threadId, { limit: 1, offset: 0 });
  if (run) return run;
  throw new ProtocolError("no_such_run", `Thread ${threadId} has no run yet`);
}

/** @throws ProtocolError when the thread has no such run */
export async function runOf({ runs }: CommandDeps, threadId: string, runId: string): Promise<Run> {
  try {
    return await runs.get(runId.toLowerCase(), threadId);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new ProtocolError("no_such_run", `Thread ${threadId} has no run ${runId.slice(0, 200)}`);
  }
}
