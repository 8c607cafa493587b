import type { CheckpointReader, Clock, Embedder, ItemOperations, ListCache } from "@berth/store";
import type { ServedProject } from "../project/index.ts";
import type { Executor } from "../runs/index.ts";
import type { StateCode } from "../threads/index.ts";
import type { RunWatch, TraceStore } from "../traces/index.ts";

/** What the code of a project needs of whom it works for. */
export type House = {
  /** Where checkpoints are read. */
  checkpoints: CheckpointReader;
  clock: Clock;
  items: Pick<ItemOperations, "batch">;
  lists: ListCache;
  /** Where runs leave traces; without it, they leave none. */
  traces: TraceStore | undefined;
  watch: RunWatch | undefined;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** What works for a house: graphs run, and the states of threads are read by them. */
export type CodeWork = { executor: Executor; states: StateCode };

/** A project with its code, wherever that runs. */
export interface ProjectCode {
  readonly project: ServedProject;
  /** What its `store.index` names. */
  readonly embedder: Embedder | undefined;
  work(house: House): CodeWork;
}
