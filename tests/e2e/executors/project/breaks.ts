import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ how: Annotation<string>, ms: Annotation<number>, done: Annotation<boolean> });

/** 2 GB, written to. */
const CHUNKS = 40;
const CHUNK_BYTES = 50_000_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What a node does that no caller can take back. */
const WAYS: Record<string, (ms: number) => void | Promise<void>> = {
  well: () => undefined,
  spins: (ms) => {
    const end = performance.now() + ms;
    while (performance.now() < end) void 0;
  },
  waits: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  throws: () =>
    void setTimeout(() => {
      throw new Error("thrown in a timer");
    }),
  rejects: () => void Promise.reject(new Error("rejected with nobody there")),
  exits: () => process.exit(3),
  // The first is what a library sends under a process manager; the second imitates a message of the worker protocol.
  reports: async () => {
    process.send?.("ready");
    process.send?.([{ type: "ended", job: 1, end: { hasValues: false } }]);
    await pause(500);
  },
  kills: () => void process.kill(process.pid, "SIGKILL"),
  dies: () => void Bun.spawnSync(["kill", "-9", String(process.pid)]),
  // With pauses: on a busy machine it takes so long that it would count as one that hangs.
  fills: async (ms) => {
    const kept: Buffer[] = [];
    while (kept.length < CHUNKS) {
      kept.push(Buffer.alloc(CHUNK_BYTES, 1));
      await pause(1);
    }
    await pause(ms);
  },
};

/** Passes a first node, so that there is a checkpoint to go on from; the second does what is asked for. */
export const graph = new StateGraph(State)
  .addNode("first", () => ({ done: false }))
  .addNode("second", async ({ how, ms = 0 }) => {
    await WAYS[how]?.(ms);
    await pause(1);
    return { done: true };
  })
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END)
  .compile();
