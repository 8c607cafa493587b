import type { Checkpoints } from "@berth/store";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointSaverTestInitializer,
  deltaChannelHistoryTests,
  validate,
} from "@langchain/langgraph-checkpoint-validation";

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
  const initializer = setup as unknown as CheckpointSaverTestInitializer<BaseCheckpointSaver>;
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
