import { type TSchema, Type } from "@sinclair/typebox";
import {
  BOUNDED,
  BoundedDictionary,
  countingField,
  Dictionary,
  oneOf,
  SECRET_FIELD,
  Uuid,
} from "../http/index.ts";
import { multitaskStrategies } from "./wire/index.ts";

const optional = <T extends TSchema>(schema: T, description?: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], description === undefined ? {} : { description }));

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
export const StreamModes = Type.Union([StreamMode, Type.Array(StreamMode, BOUNDED)]);

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
  { description: "Resumes an interrupt, updates the state or jumps to a node. It beats `input`." },
);

const RunConfig = Type.Object(
  {
    tags: Type.Optional(Type.Array(Type.String())),
    recursion_limit: Type.Optional(countingField()),
    configurable: Type.Optional(Dictionary),
    metadata: Type.Optional(Dictionary),
  },
  { additionalProperties: true, ...BOUNDED },
);

const Breakpoints = Type.Union([Type.Literal("*"), Type.Array(Type.String(), BOUNDED)]);

/** What every run-creating request may say; documented in `agent-server.md` §5.1. */
export const runFields = {
  assistant_id: Type.String({ minLength: 1, description: "An assistant's id, or the name of a graph." }),
  input: Type.Optional(
    Type.Unknown({
      description: "The input of the graph; with null, the graph continues from the thread's state.",
    }),
  ),
  command: optional(Command),
  metadata: optional(BoundedDictionary, "The run's metadata, merged into the assistant's and the thread's."),
  config: optional(RunConfig, "Overrides the assistant's config."),
  context: Type.Optional(
    Type.Unknown({ description: "The graph's `context`; it overrides the assistant's context.", ...BOUNDED }),
  ),
  webhook: optional(
    Type.String({ minLength: 1, maxLength: 65_536, ...SECRET_FIELD }),
    "The address that Berth calls when the run has ended.",
  ),
  interrupt_before: optional(Breakpoints, "Nodes before which the run stops; `*` for all."),
  interrupt_after: optional(Breakpoints, "Nodes after which the run stops; `*` for all."),
  stream_mode: optional(StreamModes, "What a stream of the run contains; `values` by default."),
  stream_subgraphs: optional(Type.Boolean(), "Whether the stream also contains the events of subgraphs."),
  stream_resumable: optional(
    Type.Boolean(),
    "Whether a client that reconnects gets the events that it missed.",
  ),
  feedback_keys: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 }),
    "What people may judge: the end of a stream or of a wait has an address for each key.",
  ),
  after_seconds: optional(
    Type.Number({ minimum: 0, maximum: 31_536_000 }),
    "Starts the run after so many seconds.",
  ),
  checkpoint_during: optional(Type.Boolean(), "The older word for `durability`: false is `exit`."),
  durability: optional(
    oneOf(["sync", "async", "exit"]),
    "When Berth writes checkpoints: before the next superstep (`sync`), while it runs (`async`, the default), or at the end of the run (`exit`).",
  ),
  on_disconnect: optional(
    oneOf(["cancel", "continue"]),
    "What happens to the run when the client that streams it or waits for it leaves.",
  ),
  langsmith_tracer: optional(
    Type.Object({ project_name: Type.Optional(Type.String()), example_id: Type.Optional(Type.String()) }),
    "Has no effect.",
  ),
};

export const ThreadRunBody = Type.Object({
  ...runFields,
  checkpoint: optional(BoundedDictionary, "The checkpoint to begin from."),
  checkpoint_id: optional(Type.String(), "The same, by its id."),
  multitask_strategy: optional(
    oneOf(multitaskStrategies),
    "What happens if another run of the thread is in progress; `enqueue` by default.",
  ),
  if_not_exists: optional(
    oneOf(["create", "reject"]),
    "What happens if there is no such thread; `reject` by default.",
  ),
});

export const StatelessRunBody = Type.Object({
  ...runFields,
  on_completion: optional(oneOf(["delete", "keep"]), "What happens to the run's thread."),
});

const MAX_AT_ONCE = 1_000;

export const RunBatch = Type.Array(StatelessRunBody, { minItems: 1, maxItems: MAX_AT_ONCE });

/** Which runs are meant: those named, or all in a state. The clients leave out what they do not name. */
export const BulkCancelBody = Type.Object({
  status: optional(oneOf(["pending", "running", "all"]), "All runs in this state; or else"),
  thread_id: optional(Uuid, "those of this thread"),
  run_ids: optional(Type.Array(Uuid, { minItems: 1, maxItems: MAX_AT_ONCE }), "that are named here."),
});
