import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, nullable } from "../../http/index.ts";

const JsonSchema = nullable(Dictionary);

const schemas = {
  input_schema: JsonSchema,
  output_schema: JsonSchema,
  state_schema: JsonSchema,
  config_schema: JsonSchema,
  context_schema: JsonSchema,
};

export const ShownGraphSchemas = Type.Object(
  { graph_id: Type.String(), ...schemas },
  { title: "GraphSchema", description: "JSON schemas (draft-07); null where the graph declares none." },
);
export type ShownGraphSchemas = Static<typeof ShownGraphSchemas>;

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

export const ShownDrawing = Type.Object(
  { nodes: Type.Array(DrawnNode), edges: Type.Array(DrawnEdge) },
  { title: "GraphDrawing" },
);

export type ShownDrawing = Static<typeof ShownDrawing>;

export const ShownSubgraphs = Type.Record(
  Type.String(),
  Type.Object(
    { ...schemas, input: JsonSchema, output: JsonSchema, state: JsonSchema, config: JsonSchema },
    { title: "SubgraphSchema", description: "The short names repeat the long ones, for older clients." },
  ),
);
