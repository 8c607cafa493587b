import { type TSchema, Type } from "@sinclair/typebox";
import { countingField, Dictionary, Instant, nullable, oneOf, Uuid } from "../http/fields.ts";

const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

export const runStatuses = ["pending", "running", "error", "success", "timeout", "interrupted"] as const;

const streamModes = [
  "values",
  "messages",
  "messages-tuple",
  "tasks",
  "checkpoints",
  "updates",
  "events",
  "debug",
  "custom",
  "tools",
] as const;

export const StreamMode = oneOf(streamModes);
export const StreamModes = Type.Union([StreamMode, Type.Array(StreamMode)]);

const Send = Type.Object({ node: Type.String(), input: Type.Unknown() });

const Command = Type.Object(
  {
    update: Type.Optional(
      Type.Union([Dictionary, Type.Array(Type.Tuple([Type.String(), Type.Unknown()])), Type.Null()]),
    ),
    resume: Type.Optional(Type.Unknown()),
    goto: Type.Optional(
      Type.Union([Send, Type.String(), Type.Array(Type.Union([Send, Type.String()])), Type.Null()]),
    ),
  },
  { description: "Resumes an interrupt, updates the state or jumps to a node; wins over `input`." },
);

const RunConfig = Type.Object({
  tags: Type.Optional(Type.Array(Type.String())),
  recursion_limit: Type.Optional(countingField()),
  configurable: Type.Optional(Dictionary),
  metadata: Type.Optional(Dictionary),
});

const Breakpoints = Type.Union([Type.Literal("*"), Type.Array(Type.String())]);

/** What every run-creating request may say; documented in `agent-server.md` §5.1. */
export const runFields = {
  assistant_id: Type.String({ minLength: 1, description: "An assistant's id, or the name of a graph." }),
  input: Type.Optional(Type.Unknown()),
  command: optional(Command),
  metadata: optional(Dictionary),
  config: optional(RunConfig),
  context: Type.Optional(Type.Unknown()),
  webhook: optional(Type.String({ minLength: 1, maxLength: 65_536 })),
  interrupt_before: optional(Breakpoints),
  interrupt_after: optional(Breakpoints),
  stream_mode: optional(StreamModes),
  stream_subgraphs: optional(Type.Boolean()),
  stream_resumable: optional(Type.Boolean()),
  feedback_keys: optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 })),
  after_seconds: optional(Type.Number({ minimum: 0, maximum: 31_536_000 })),
  checkpoint_during: optional(Type.Boolean()),
  durability: optional(oneOf(["sync", "async", "exit"])),
  on_disconnect: optional(oneOf(["cancel", "continue"])),
  langsmith_tracer: optional(
    Type.Object({ project_name: Type.Optional(Type.String()), example_id: Type.Optional(Type.String()) }),
  ),
};

export const ThreadRunBody = Type.Object({
  ...runFields,
  checkpoint: optional(Dictionary),
  checkpoint_id: optional(Type.String()),
  multitask_strategy: optional(oneOf(["reject", "rollback", "interrupt", "enqueue"])),
  if_not_exists: optional(oneOf(["create", "reject"])),
});

export const StatelessRunBody = Type.Object({
  ...runFields,
  on_completion: optional(oneOf(["delete", "keep"])),
});

const MAX_AT_ONCE = 1_000;

export const RunBatch = Type.Array(StatelessRunBody, { minItems: 1, maxItems: MAX_AT_ONCE });

/** Which runs are meant: those named, or all in a state. The clients leave out what they do not name. */
export const BulkCancelBody = Type.Object({
  status: optional(oneOf(["pending", "running", "all"])),
  thread_id: optional(Uuid),
  run_ids: optional(Type.Array(Uuid, { minItems: 1, maxItems: MAX_AT_ONCE })),
});

export const RunSchema = Type.Object({
  run_id: Uuid,
  thread_id: Uuid,
  assistant_id: Uuid,
  created_at: Instant,
  updated_at: Instant,
  status: oneOf(runStatuses),
  metadata: Dictionary,
  kwargs: Dictionary,
  multitask_strategy: oneOf(["reject", "rollback", "interrupt", "enqueue"]),
});
