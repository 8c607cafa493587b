import type { ThreadTtl, Tx } from "@berth/store";
import type { ExecutionDeps } from "./execution.ts";
import type { AdmissionCheck } from "./request.ts";

export type QueueDeps = ExecutionDeps & {
  /** Hears that a run was asked for, by whatever is going on right now. */
  created?: ((runId: string) => void) | undefined;
  /** Of threads that runs create. */
  threadTtl?: ThreadTtl | undefined;
  /** Names this process among those on the same database. */
  owner: string;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Whether it leaves all runs to others until {@link RunQueue.setClaims} says otherwise. */
  standby?: boolean;
  /** False where other processes of this database execute what comes in here. */
  executes?: boolean | undefined;
  limits: { concurrency: number; leaseMs: number; renewMs: number };
};

/** What happens in the transaction that admits a run, before it. */
export type Submission = { first?: (tx: Tx) => Promise<void>; check?: AdmissionCheck | undefined };
