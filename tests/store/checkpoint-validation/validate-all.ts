import type { Checkpoints } from "@berth/store/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointSaverTestInitializer,
  deltaChannelHistoryTests,
  validate,
} from "@langchain/langgraph-checkpoint-validation";
import { TEST_LIMIT_MS } from "../../limits.ts";

type Setup = {
  checkpointerName: string;
  beforeAll?(): Promise<void>;
  afterAll?(): Promise<void>;
  createCheckpointer(): Promise<Checkpoints>;
  destroyCheckpointer(saver: Checkpoints): Promise<void>;
};

/** Every suite that the package exports; the delta channel one is not part of `validate`. */
export function validateAll(setup: Setup): void {
  // The package types savers by number versions; its tests give versions, and ask for none.
  // It hands its own 10 s to its first hook whatever vitest is told, and that hook starts Postgres in this process.
  const initializer = {
    beforeAllTimeout: TEST_LIMIT_MS,
    ...setup,
  } as unknown as CheckpointSaverTestInitializer<BaseCheckpointSaver>;
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
