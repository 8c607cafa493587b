import type { Listener } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, pageOf, Uuid } from "../../http/index.ts";

/** How Berth reaches what it runs in a cluster. */
export const ClusterReach = Type.Union([
  Type.Object({ by: Type.Literal("service") }, { additionalProperties: false }),
  Type.Object(
    {
      by: Type.Literal("node_port"),
      host: Type.String({ maxLength: 45, description: "The IP address of a node." }),
    },
    { additionalProperties: false },
  ),
]);

export const ShownListener = Type.Object(
  {
    id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    version: nullable(Type.String()),
    compute_type: Type.Literal("k8s"),
    compute_id: Type.String(),
    compute_config: Type.Object({ k8s_namespaces: nullable(Type.Array(Type.String())) }),
    has_credentials: Type.Boolean({ description: "Whether Berth deploys into the cluster itself." }),
    reach: ClusterReach,
    health: nullable(
      Type.String({
        description: "What is wrong with the cluster; empty: nothing; null: not looked at yet.",
      }),
    ),
    checked_at: nullable(Instant),
  },
  { $id: "Listener" },
);
export type ShownListener = Static<typeof ShownListener>;
export const ListenersPage = pageOf("ListenersList", ShownListener);

export function shownListener({ workspace_id: _, ...listener }: Listener): ShownListener {
  const { created_at, updated_at, checked_at } = listener;
  return {
    ...listener,
    checked_at: checked_at === null ? null : isoTime(checked_at),
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}
