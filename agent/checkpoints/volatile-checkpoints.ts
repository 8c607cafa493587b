import { hasSendsChannel, sendsOf, withSends } from "@berth/store/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  type PendingWrite,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";

type Kept = { checkpoint: Checkpoint; metadata: CheckpointMetadata; parentId: string | undefined };
type Write = { taskId: string; taskPath: string; index: number; channel: string; value: unknown };

/**
 * Checkpoints of one thread, kept by reference and forgotten with the saver. A temporary run needs no others: it
 * stops at an interrupt and gives subgraphs their state, and nobody reads them afterwards.
 */
export class VolatileCheckpoints<V extends string | number = number> extends BaseCheckpointSaver<V> {
  /** By namespace, then by checkpoint id in the order of writing, which is the order of ids. */
  readonly #kept = new Map<string, Map<string, Kept>>();
  /** By namespace and checkpoint id: a step's writes may arrive before its checkpoint does. */
  readonly #writes = new Map<string, Write[]>();

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { namespace, id } = place(config);
    const all = this.#kept.get(namespace);
    const wanted = id ?? [...(all?.keys() ?? [])].at(-1);
    const kept = wanted === undefined ? undefined : all?.get(wanted);
    return kept && this.#tuple(config, namespace, kept);
  }

  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { namespace } = place(config);
    const before = options.before && place(options.before).id;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const kept of [...(this.#kept.get(namespace)?.values() ?? [])].reverse()) {
      if (left <= 0) return;
      if (before !== undefined && kept.checkpoint.id >= before) continue;
      const filter = Object.entries(options.filter ?? {});
      const metadata = kept.metadata as unknown as Record<string, unknown>;
      if (!filter.every(([key, value]) => metadata[key] === value)) continue;
      left -= 1;
      yield this.#tuple(config, namespace, kept);
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { namespace, id } = place(config);
    const all = this.#kept.get(namespace) ?? new Map<string, Kept>();
    this.#kept.set(namespace, all);
    all.set(checkpoint.id, { checkpoint, metadata, parentId: id });
    return configOf(config, namespace, checkpoint.id);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { namespace, id } = place(config);
    const key = `${namespace}\n${id}`;
    const kept = this.#writes.get(key) ?? [];
    this.#writes.set(key, kept);
    writes.forEach(([name, value], position) => {
      const channel = String(name);
      // Special channels hold one value for a task, the last; of the others the first write stands.
      const index = WRITES_IDX_MAP[channel] ?? position;
      const same = kept.findIndex((write) => write.taskId === taskId && write.index === index);
      const write = { taskId, taskPath, index, channel, value };
      if (same < 0) kept.push(write);
      else if (index < 0) kept[same] = write;
    });
  }

  override async deleteThread(): Promise<void> {
    this.#kept.clear();
    this.#writes.clear();
  }

  /** What tasks wrote on a checkpoint, in the order in which a superstep applies it. */
  protected writesOn(config: RunnableConfig): CheckpointPendingWrite[] {
    const { namespace, id } = place(config);
    const writes = [...(this.#writes.get(`${namespace}\n${id}`) ?? [])].sort((a, b) =>
      compareWritesSortKeys(
        writesSortKey(a.taskPath, a.taskId, a.index),
        writesSortKey(b.taskPath, b.taskId, b.index),
      ),
    );
    return writes.map((write) => [write.taskId, write.channel, write.value]);
  }

  #tuple(config: RunnableConfig, namespace: string, kept: Kept): CheckpointTuple {
    const own = configOf(config, namespace, kept.checkpoint.id);
    const parent = kept.parentId ? configOf(config, namespace, kept.parentId) : undefined;
    const { checkpoint } = kept;
    return {
      config: own,
      checkpoint: hasSendsChannel(checkpoint)
        ? checkpoint
        : withSends(checkpoint, parent && sendsOf(this.writesOn(parent))),
      metadata: kept.metadata,
      pendingWrites: this.writesOn(own),
      ...(parent && { parentConfig: parent }),
    };
  }
}

function place(config: RunnableConfig): { namespace: string; id: string | undefined } {
  const { checkpoint_ns, checkpoint_id } = config.configurable ?? {};
  return { namespace: checkpoint_ns ?? "", id: checkpoint_id || undefined };
}

function configOf(config: RunnableConfig, namespace: string, id: string): RunnableConfig {
  const { thread_id } = config.configurable ?? {};
  return { configurable: { thread_id, checkpoint_ns: namespace, checkpoint_id: id } };
}
