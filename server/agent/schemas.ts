import { Type } from "@sinclair/typebox";
import { BOUNDED, BoundedDictionary } from "../http/bounds.ts";
import { Dictionary, Instant, nullable, oneOf, Uuid } from "../http/fields.ts";
import { ShownTtl } from "./thread-ttl.ts";

/** The objects of the Agent Server as they are on the wire, for the API document. */

export const Count = Type.Integer({ minimum: 0, description: "How many match." });

export const AssistantConfig = Type.Object(
  {
    tags: Type.Optional(Type.Array(Type.String())),
    recursion_limit: Type.Optional(Type.Integer({ description: "Most supersteps of a run." })),
    configurable: Type.Optional(Dictionary),
  },
  {
    title: "Config",
    description: "What every run of the assistant is configured with.",
    additionalProperties: true,
    ...BOUNDED,
  },
);

export const Assistant = Type.Object(
  {
    assistant_id: Uuid,
    graph_id: Type.String({ description: "The graph, by its name in graph.json." }),
    name: Type.String(),
    description: nullable(Type.String()),
    version: Type.Integer({ minimum: 1 }),
    config: AssistantConfig,
    context: Dictionary,
    metadata: Dictionary,
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Assistant" },
);

const JsonSchema = nullable(Dictionary);

export const GraphSchema = Type.Object(
  {
    graph_id: Type.String(),
    input_schema: JsonSchema,
    output_schema: JsonSchema,
    state_schema: JsonSchema,
    config_schema: JsonSchema,
    context_schema: JsonSchema,
  },
  { title: "GraphSchema", description: "JSON schemas (draft-07); null where the graph declares none." },
);

const DrawnNode = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: "`runnable`, or `schema` for the start and the end." }),
    data: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(Dictionary),
  },
  { title: "DrawnNode" },
);

const DrawnEdge = Type.Object(
  {
    source: Type.String(),
    target: Type.String(),
    conditional: Type.Optional(Type.Boolean()),
    data: Type.Optional(Type.Unknown()),
  },
  { title: "DrawnEdge" },
);

export const GraphDrawing = Type.Object(
  { nodes: Type.Array(DrawnNode), edges: Type.Array(DrawnEdge) },
  { title: "GraphDrawing" },
);

export const Subgraphs = Type.Record(
  Type.String(),
  Type.Object(
    {
      input_schema: JsonSchema,
      output_schema: JsonSchema,
      state_schema: JsonSchema,
      config_schema: JsonSchema,
      context_schema: JsonSchema,
      input: JsonSchema,
      output: JsonSchema,
      state: JsonSchema,
      config: JsonSchema,
    },
    { title: "SubgraphSchema", description: "The short names repeat the long ones, for older clients." },
  ),
);

export const threadStatuses = ["idle", "busy", "interrupted", "error"] as const;

const Interrupt = Type.Object({ id: nullable(Type.String()), value: Type.Unknown() }, { title: "Interrupt" });

export const Thread = Type.Object(
  {
    thread_id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    state_updated_at: nullable(Instant),
    metadata: Dictionary,
    config: Dictionary,
    status: oneOf(threadStatuses),
    values: nullable(Dictionary),
    interrupts: Type.Record(Type.String(), Type.Array(Interrupt), { description: "Open ones, by task." }),
    error: Type.Unknown({ description: "What the last run failed with, or null." }),
    extracted: Type.Optional(Dictionary),
    ttl: Type.Optional(ShownTtl),
  },
  { title: "Thread" },
);

export const Pruned = Type.Object({ pruned_count: Type.Integer({ minimum: 0 }) }, { title: "Pruned" });

const Bytes = Type.Integer({ minimum: 0 });
const size = { count: Type.Integer({ minimum: 0 }), bytes: Bytes };
const Versions = Type.Object({ versions: Type.Integer({ minimum: 1 }), bytes: Bytes });

export const ThreadStorage = Type.Object(
  {
    thread_id: Uuid,
    total_bytes: Bytes,
    checkpoints: Type.Object(size),
    channel_values: Type.Object({ ...size, by_channel: Type.Record(Type.String(), Versions) }),
    pending_writes: Type.Object(size),
  },
  { title: "ThreadStorage" },
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

const ThreadTask = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    path: Type.Unknown(),
    error: nullable(Type.String()),
    interrupts: Type.Array(Interrupt),
    checkpoint: nullable(CheckpointConfig),
    state: Type.Unknown({ description: "The ThreadState of the task's subgraph, when asked for." }),
    result: Type.Unknown(),
  },
  { title: "ThreadTask" },
);

export const ThreadState = Type.Object(
  {
    values: Type.Unknown(),
    next: Type.Array(Type.String(), { description: "Nodes left to run." }),
    tasks: Type.Array(ThreadTask),
    checkpoint: nullable(CheckpointConfig),
    metadata: Dictionary,
    created_at: nullable(Instant),
    parent_checkpoint: nullable(CheckpointConfig),
    interrupts: Type.Array(Interrupt),
  },
  { title: "ThreadState" },
);

export const UpdatedState = Type.Object(
  { checkpoint: nullable(CheckpointConfig) },
  { title: "UpdatedState", description: "The checkpoint that the update made." },
);

const itemFields = {
  namespace: Type.Array(Type.String()),
  key: Type.String(),
  value: Dictionary,
  created_at: Instant,
  updated_at: Instant,
};

export const Item = Type.Object(itemFields, { title: "Item" });

const Score = nullable(
  Type.Number({ description: "Nearness to `query`, up to 1; null without one, or for what is not indexed." }),
);

export const FoundItems = Type.Object(
  {
    items: Type.Array(Type.Object({ ...itemFields, score: Score }, { title: "FoundItem" })),
  },
  { title: "FoundItems" },
);

export const Namespaces = Type.Object(
  { namespaces: Type.Array(Type.Array(Type.String())) },
  { title: "Namespaces" },
);

export const Health = Type.Object({ ok: Type.Boolean() }, { title: "Health" });

export const ServerInfo = Type.Object(
  {
    version: Type.String({ description: "Of Berth." }),
    commit: nullable(
      Type.String({
        description: "That Berth is of, `-dirty` behind it where it was changed; null: unknown.",
      }),
    ),
    langgraph_js_version: Type.String({ description: "Of the project's own LangGraph." }),
    context: Type.Literal("js"),
    flags: Type.Record(Type.String(), Type.Boolean()),
    metadata: Dictionary,
  },
  { title: "ServerInfo" },
);
