import { type Static, Type } from "@sinclair/typebox";
import { BoundedDictionary, Dictionary, Instant, nullable } from "../../http/index.ts";

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
    state: Type.Unknown({
      description: "The ThreadState of the task's subgraph, if the request asks for it.",
    }),
    result: Type.Unknown(),
  },
  { title: "ThreadTask" },
);

/** A checkpoint as it is shown: a client may send it back just so. */
export const ShownCheckpoint = Type.Object(
  {
    thread_id: Type.String(),
    checkpoint_ns: Type.String({ description: "Empty for the root graph." }),
    checkpoint_id: Type.String(),
    checkpoint_map: nullable(Dictionary),
  },
  { title: "Checkpoint" },
);
export type ShownCheckpoint = Static<typeof ShownCheckpoint>;

const stateFields = {
  values: Type.Unknown(),
  next: Type.Array(Type.String(), { description: "The nodes that run next." }),
  tasks: Type.Array(ShownTask),
  metadata: Dictionary,
  created_at: nullable(Instant),
  parent_checkpoint: nullable(ShownCheckpoint),
  interrupts: Type.Array(ShownInterrupt),
};

/** `agent` reads states in this form: what a state is on the wire, it is everywhere. */
export const ShownState = Type.Object(
  {
    ...stateFields,
    checkpoint: Type.Union([ShownCheckpoint, Type.Null()], { description: "Null while nothing has run." }),
  },
  { title: "ThreadState" },
);
export type ShownState = Static<typeof ShownState>;

/** One of a thread's history. */
export const ShownPastState = Type.Object(
  { ...stateFields, checkpoint: ShownCheckpoint },
  { title: "ThreadState" },
);
export type ShownPastState = Static<typeof ShownPastState>;

export const UpdatedState = Type.Object(
  { checkpoint: nullable(ShownCheckpoint) },
  { title: "UpdatedState", description: "The checkpoint that the update made." },
);
export type UpdatedState = Static<typeof UpdatedState>;
