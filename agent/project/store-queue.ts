type Waiting = { operation: unknown; resolve(result: unknown): void; reject(error: unknown): void };

/** What we rely on of LangGraph's `AsyncBatchedStore` (langgraph-checkpoint 1.x). */
type BatchedStore = {
  queue: Map<number, Waiting>;
  running: boolean;
  processingTask: Promise<void> | null;
  store: { batch(operations: unknown[]): Promise<unknown[]> };
  enqueueOperation(operation: unknown): Promise<unknown>;
};

const mended = new WeakSet<object>();

/**
 * Makes LangGraph's store queue work on demand. As it comes, each run polls its own queue with a zero timer
 * from start to end, also while it waits for a model: that doubles the CPU of a short run and keeps a core busy
 * under a few idle ones. Operations of one turn still go to the store as one batch.
 *
 * A copy that is built differently is left alone.
 */
export function mendStoreQueue(AsyncBatchedStore: { prototype: object } | undefined): void {
  const prototype = AsyncBatchedStore?.prototype;
  if (!prototype || mended.has(prototype) || !isAsExpected(prototype)) return;
  mended.add(prototype);
  const enqueue = prototype.enqueueOperation;
  Object.assign(prototype, {
    start(this: BatchedStore) {
      this.running = true;
    },
    async stop(this: BatchedStore) {
      this.running = false;
      await this.processingTask;
      // LangGraph ends the stream of a run that failed right behind this, and drops what was not read by then.
      await new Promise<void>((turn) => setImmediate(turn));
    },
    enqueueOperation(this: BatchedStore, operation: unknown) {
      const result = enqueue.call(this, operation);
      this.processingTask ??= Promise.resolve().then(() => flush(this));
      return result;
    },
  });
}

async function flush(batched: BatchedStore): Promise<void> {
  const waiting = [...batched.queue.values()];
  batched.queue.clear();
  batched.processingTask = null;
  try {
    const results = await batched.store.batch(waiting.map(({ operation }) => operation));
    waiting.forEach(({ resolve }, index) => {
      resolve(results[index]);
    });
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}

function isAsExpected(prototype: object): prototype is BatchedStore {
  return ["start", "stop", "enqueueOperation", "processBatchQueue"].every(
    (name) => typeof (prototype as Record<string, unknown>)[name] === "function",
  );
}
