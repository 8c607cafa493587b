import { type Static, Type } from "@sinclair/typebox";
import { BoundedDictionary } from "../../http/bounds.ts";
import { Dictionary, Instant, nullable } from "../../http/fields.ts";

export const ShownInterrupt = Type.Object(
  { id: nullable(Type.String()), value: Type.Unknown() },
  { title: "Interrupt" },
);

/** A checkpoint as a client names one. Whatever else is in it is ignored, its thread too: the path says it. */
export const CheckpointConfig = Type.Object(
  {
    thread_id: Type.Optional(nullable(Type.String())),
    checkpoint_ns: Type.Optional(nullable(Type.String({ description: "Empty for the root graph." }))),
    checkpoint_id: Type.Optional(nullable(Type.String())),
    checkpoint_map: Type.Optional(nullable(BoundedDictionary)),
  },
  { title: "CheckpointConfig" },
);
export type CheckpointConfig = Static<typeof CheckpointConfig>;

const ShownTask = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    path: Type.Unknown(),
    error: nullable(Type.String()),
    interrupts: Type.Array(ShownInterrupt),
    checkpoint: nullable(CheckpointConfig),
    state: Type.Unknown({ description: "The ThreadState of the task's subgraph, when asked for." }),
    result: Type.Unknown(),
  },
  { title: "ThreadTask" },
);

/** `agent` reads states in this form: what a state is on the wire, it is everywhere. */
export const ShownState = Type.Object(
  {
    values: Type.Unknown(),
    next: Type.Array(Type.String(), { description: "Nodes left to run." }),
    tasks: Type.Array(ShownTask),
    checkpoint: nullable(CheckpointConfig),
    metadata: Dictionary,
    created_at: nullable(Instant),
    parent_checkpoint: nullable(CheckpointConfig),
    interrupts: Type.Array(ShownInterrupt),
  },
  { title: "ThreadState" },
);
export type ShownState = Static<typeof ShownState>;

export const UpdatedState = Type.Object(
  { checkpoint: nullable(CheckpointConfig) },
  { title: "UpdatedState", description: "The checkpoint that the update made." },
);
