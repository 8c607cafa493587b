import { isRecord } from "../record.ts";
import { type ThreadState, valuesOf } from "../threads/index.ts";
import {
  type CommandCall,
  type CommandDeps,
  type CommandResult,
  type CommandValues,
  ProtocolError,
  requireThread,
} from "./command-call.ts";
import { readNamespace } from "./input.ts";

const CHECKPOINTS = 10;
const MOST_CHECKPOINTS = 1_000;

/** The values of a graph or a subgraph at its newest checkpoint. */
export async function stateGet(deps: CommandDeps, { threadId, params }: CommandCall): Promise<CommandResult> {
  const keys = params.texts("keys");
  const namespace = readNamespace(params);
  const thread = await requireThread(deps, threadId);
  const checkpoint_ns = namespace.join("|");
  const state = await deps.states.state(thread, { checkpoint: { checkpoint_ns } });
  const { checkpoint } = state;
  if (namespace.length > 0 && !checkpoint) throw noSuchNamespace(namespace);
  const ref = checkpoint && { id: checkpoint.checkpoint_id, ...(checkpoint_ns && { ns: checkpoint_ns }) };
  return { result: { values: picked(valuesOf(state), keys), ...(ref && { checkpoint: ref }) } };
}

function picked(values: unknown, keys: string[] | undefined): unknown {
  if (!keys || !isRecord(values)) return values;
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

/** The checkpoints of a graph or a subgraph, newest first; `before` is the id of the last one of a page. */
export async function stateListCheckpoints(
  deps: CommandDeps,
  { threadId, params }: CommandCall,
): Promise<CommandResult> {
  const namespace = readNamespace(params);
  const limit = params.count("limit", { least: 1, most: MOST_CHECKPOINTS }) ?? CHECKPOINTS;
  const before = params.text("before");
  const thread = await requireThread(deps, threadId);
  const checkpoint = { checkpoint_ns: namespace.join("|") };
  // One more: what ran to make a checkpoint is what was next at the one before it.
  const states = await deps.states.history(thread, { limit: limit + 1, before, checkpoint });
  if (namespace.length > 0 && states.length === 0 && !before) throw noSuchNamespace(namespace);
  const byId = new Map(states.map((state) => [state.checkpoint?.checkpoint_id, state]));
  const checkpoints = states.slice(0, limit).map((state) => summary(state, byId));
  return { result: { checkpoints } };
}

function summary(state: ThreadState, byId: ReadonlyMap<string | undefined, ThreadState>): CommandValues {
  const { checkpoint, created_at, metadata, parent_checkpoint } = state;
  const nodes = byId.get(parent_checkpoint?.checkpoint_id)?.next ?? [];
  const [node] = metadata.source === "loop" && nodes.length === 1 ? nodes : [];
  return {
    id: checkpoint?.checkpoint_id,
    timestamp: created_at,
    step: metadata.step,
    ...(node !== undefined && node !== "__start__" && { node_name: node }),
    metadata,
  };
}

const noSuchNamespace = (namespace: string[]) =>
  new ProtocolError("no_such_namespace", `The thread has no state in ${JSON.stringify(namespace)}`);
