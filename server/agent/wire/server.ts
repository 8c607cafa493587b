import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, nullable } from "../../http/index.ts";

export const ShownHealth = Type.Object({ ok: Type.Boolean() }, { title: "Health" });

export const ShownServer = Type.Object(
  {
    version: Type.String({ description: "Of Berth." }),
    commit: nullable(
      Type.String({
        description:
          "The commit of this Berth, with `-dirty` if somebody changed its sources. Null if unknown.",
      }),
    ),
    langgraph_js_version: Type.String({ description: "The version of the project's own LangGraph." }),
    langgraph_py_version: Type.Optional(
      Type.String({
        description: "The version of the LangGraph that runs the project's Python graphs, if it has any.",
      }),
    ),
    context: Type.Literal("js"),
    flags: Type.Record(Type.String(), Type.Boolean()),
    metadata: Dictionary,
  },
  { title: "ServerInfo" },
);
export type ShownServer = Static<typeof ShownServer>;
