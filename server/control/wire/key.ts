import type { Key } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, Uuid } from "../../http/index.ts";
import { ShownAuthor } from "./author.ts";

export const KEY_SCOPES = ["workspace", "organization", "metrics"] as const;

const fields = {
  id: Uuid,
  workspace_id: Uuid,
  name: Type.String(),
  hint: Type.String({ description: "The first characters of the secret." }),
  scope: oneOf(KEY_SCOPES),
  created_at: Instant,
  last_used_at: nullable(Instant),
  created_by: nullable(ShownAuthor),
};

export const ShownKey = Type.Object(fields, { $id: "Key" });
export type ShownKey = Static<typeof ShownKey>;

export const ShownNewKey = Type.Object(
  { ...fields, secret: Type.String({ description: "Only this answer shows it." }) },
  { $id: "NewKey" },
);
export type ShownNewKey = Static<typeof ShownNewKey>;

export function shownKey(key: Key): ShownKey {
  const { id, workspace_id, name, hint, scope, created_at, last_used_at, created_by } = key;
  return {
    ...{ id, workspace_id, name, hint, scope, created_by },
    created_at: isoTime(created_at),
    last_used_at: isoTimeOrNull(last_used_at),
  };
}
