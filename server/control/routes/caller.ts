import { type Author, DEFAULT_WORKSPACE } from "@berth/store";
import type { Caller } from "../../http/call.ts";
import { SERVICE_KEY_ID } from "../../http/keys.ts";

/** The workspace whose rows a caller sees. */
export const workspaceOf = (caller: Caller | null): string => caller?.workspaceId ?? DEFAULT_WORKSPACE.id;

/** Who a caller is where it is kept; null where no key is needed. */
export function authorOf(caller: Caller | null): Author | null {
  if (caller === null || caller.keyId === null) return null;
  if (caller.keyId === SERVICE_KEY_ID) return { key_id: null, name: "operator" };
  return { key_id: caller.keyId, name: caller.keyName ?? "" };
}
