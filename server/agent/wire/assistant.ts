import type { Assistant, AssistantVersion } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { BOUNDED, Dictionary, Instant, isoTime, nullable, Uuid } from "../../http/index.ts";

export const AssistantConfig = Type.Object(
  {
    tags: Type.Optional(Type.Array(Type.String())),
    recursion_limit: Type.Optional(Type.Integer({ description: "The most supersteps that a run may take." })),
    configurable: Type.Optional(Dictionary),
  },
  {
    title: "Config",
    description: "The configuration of every run of the assistant.",
    additionalProperties: true,
    ...BOUNDED,
  },
);

export const ShownAssistant = Type.Object(
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
export type ShownAssistant = Static<typeof ShownAssistant>;

/** A version has no change time of its own: it never changes. */
export function shownAssistant(assistant: Assistant | AssistantVersion): ShownAssistant {
  const { created_at } = assistant;
  const updated_at = "updated_at" in assistant ? assistant.updated_at : created_at;
  return { ...assistant, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}
