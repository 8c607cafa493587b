import type { CheckpointReader, CheckpointSink, CheckpointWrite, Draft } from "@berth/store";
import { CheckpointSaver, type CheckpointSaverOptions } from "@berth/store/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  DeltaChannelHistory,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { VolatileCheckpoints } from "./volatile-checkpoints.ts";

/**
 * An edit of a thread's state before anybody sees it: what the graph puts is kept in memory, on top of what is
 * stored, until `storeDraft` stores what was {@link drafted}. A draft that is not stored leaves nothing.
 */
export class DraftCheckpoints extends VolatileCheckpoints<string> {
  readonly #writes: CheckpointWrite[] = [];
  /** By namespace, the checkpoint that was taken for its newest. */
  readonly #newest = new Map<string, string | undefined>();
  readonly #stored: CheckpointSaver;

  constructor(
    reader: CheckpointReader,
    private readonly threadId: string,
    options: Pick<CheckpointSaverOptions, "serde" | "cache" | "metadata"> = {},
  ) {
    super(options.serde);
    const sink: CheckpointSink = {
      write: async (write) => void this.#writes.push(write),
      settled: async () => {},
    };
    this.#stored = new CheckpointSaver(reader, sink, options);
  }

  drafted(): Draft {
    return { threadId: this.threadId, newest: [...this.#newest], writes: this.#writes };
  }

  override getNextVersion(current: string | undefined): string {
    return this.#stored.getNextVersion(current);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const drafted = await super.getTuple(config);
    if (drafted) return drafted;
    const stored = await this.#stored.getTuple(config);
    const { checkpoint_id, checkpoint_ns = "" } = config.configurable ?? {};
    if (!checkpoint_id && !this.#newest.has(checkpoint_ns)) {
      this.#newest.set(checkpoint_ns, stored?.checkpoint.id);
    }
    return (
      stored && {
        ...stored,
        pendingWrites: [...(stored.pendingWrites ?? []), ...this.writesOn(stored.config)],
      }
    );
  }

  /** Of what is stored: nothing asks for a history of the draft. */
  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#stored.list(config, options);
  }

  /** Walks over drafted ancestors; what is stored is asked for the rest. */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const open = new Set(options.channels);
    const histories = new Map(
      options.channels.map((channel): [string, DeltaChannelHistory] => [channel, { writes: [] }]),
    );
    let at = options.config;
    while (open.size > 0 && (await super.getTuple(at))) {
      const parent = (await super.getTuple(at))?.parentConfig;
      const tuple = parent && (await this.getTuple(parent));
      if (!tuple) return Object.fromEntries(histories);
      takeAncestor(tuple, open, histories);
      at = tuple.config;
    }
    const older = await this.#stored.getDeltaChannelHistory({ config: at, channels: [...open] });
    for (const [channel, { writes, ...seed }] of Object.entries(older)) {
      const newer = histories.get(channel)?.writes ?? [];
      histories.set(channel, { writes: [...writes, ...newer], ...seed });
    }
    return Object.fromEntries(histories);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = {},
  ): Promise<RunnableConfig> {
    await this.#stored.put(config, checkpoint, metadata, newVersions);
    return super.put(config, checkpoint, metadata);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    await this.#stored.putWrites(config, writes, taskId, taskPath);
    await super.putWrites(config, writes, taskId, taskPath);
  }
}

/** Adds what an ancestor holds of the channels that are still open. */
function takeAncestor(
  { checkpoint: { channel_values: values }, pendingWrites = [] }: CheckpointTuple,
  open: Set<string>,
  histories: ReadonlyMap<string, DeltaChannelHistory>,
): void {
  for (const channel of [...open]) {
    const history = histories.get(channel);
    if (!history) continue;
    history.writes.unshift(...pendingWrites.filter((write) => write[1] === channel));
    if (!Object.hasOwn(values, channel)) continue;
    history.seed = values[channel];
    open.delete(channel);
  }
}
