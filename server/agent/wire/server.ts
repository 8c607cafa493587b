import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, nullable } from "../../http/index.ts";

export const ShownHealth = Type.Object({ ok: Type.Boolean() }, { title: "Health" });

export const ShownServer = Type.Object(
  {
    version: Type.String({ description: "Of Berth." }),
    commit: nullable(
      Type.String({
        description: "That Berth is of, `-dirty` behind it where it was changed; null: unknown.",
      }),
    ),
    langgraph_js_version: Type.String({ description: "Of the project's own LangGraph." }),
    langgraph_py_version: Type.Optional(
      Type.String({
        description: "Of the LangGraph that runs the project's Python graphs, where it has any.",
      }),
    ),
    context: Type.Literal("js"),
    flags: Type.Record(Type.String(), Type.Boolean()),
    metadata: Dictionary,
  },
  { title: "ServerInfo" },
);
export type ShownServer = Static<typeof ShownServer>;
