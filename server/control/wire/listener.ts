import type { Listener } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, pageOf, Uuid } from "../../http/index.ts";

export const ShownListener = Type.Object(
  {
    id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    version: nullable(Type.String()),
    compute_type: Type.Literal("k8s"),
    compute_id: Type.String(),
    compute_config: Type.Object({ k8s_namespaces: nullable(Type.Array(Type.String())) }),
  },
  { $id: "Listener" },
);
export type ShownListener = Static<typeof ShownListener>;
export const ListenersPage = pageOf("ListenersList", ShownListener);

export function shownListener({ workspace_id: _, ...listener }: Listener): ShownListener {
  const { created_at, updated_at } = listener;
  return { ...listener, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}
