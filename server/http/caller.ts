import { type Author, DEFAULT_WORKSPACE, Denied, Unauthenticated } from "@berth/store";
import type { Caller } from "./call.ts";
import { SERVICE_KEY_ID } from "./keys.ts";

/** The workspace whose rows a caller sees. */
export const workspaceOf = (caller: Caller | null): string => caller?.workspaceId ?? DEFAULT_WORKSPACE.id;

/** Who a caller is where it is kept; null where no key is needed. */
export function authorOf(caller: Caller | null): Author | null {
  if (caller === null || caller.keyId === null) return null;
  if (caller.keyId === SERVICE_KEY_ID) return { key_id: null, name: "operator" };
  return { key_id: caller.keyId, name: caller.keyName ?? "" };
}

/** Whether whoever follows a stream may still ask: a key may be deleted, a sign-in over. */
export async function isAdmitted(admit: (() => unknown) | undefined): Promise<boolean> {
  try {
    await admit?.();
    return true;
  } catch (error) {
    if (error instanceof Unauthenticated || error instanceof Denied) return false;
    throw error;
  }
}
