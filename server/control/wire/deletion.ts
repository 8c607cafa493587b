import { DELETION_KINDS, type Deletion } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, oneOf, Uuid } from "../../http/index.ts";
import { ShownAuthor } from "./author.ts";

export const ShownDeletion = Type.Object(
  {
    id: Uuid,
    kind: oneOf(DELETION_KINDS),
    target_id: Type.String({ description: "The id of the deleted thing." }),
    name: Type.String({ description: "What it was called." }),
    deleted_at: Instant,
    deleted_by: nullable(ShownAuthor),
  },
  { $id: "Deletion" },
);
export type ShownDeletion = Static<typeof ShownDeletion>;

export const DeletionsPage = Type.Object({ resources: Type.Array(ShownDeletion), offset: Type.Integer() });
export type DeletionsPage = Static<typeof DeletionsPage>;

export function shownDeletion({ at, workspace_id: _, ...deletion }: Deletion): ShownDeletion {
  return { ...deletion, deleted_at: isoTime(at) };
}
