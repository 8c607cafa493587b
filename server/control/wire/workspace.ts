import type { WorkspaceRow } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, Uuid } from "../../http/index.ts";

export const ShownWorkspace = Type.Object(
  { id: Uuid, name: Type.String(), created_at: Instant },
  { $id: "Workspace" },
);
export type ShownWorkspace = Static<typeof ShownWorkspace>;

export function shownWorkspace({ id, name, created_at }: WorkspaceRow): ShownWorkspace {
  return { id, name, created_at: isoTime(created_at) };
}
