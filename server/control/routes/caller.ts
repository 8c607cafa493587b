import { type Author, DEFAULT_WORKSPACE, Denied, Unauthenticated } from "@berth/store";
import type { Caller } from "../../http/call.ts";
import { SERVICE_KEY_ID } from "../../http/keys.ts";

const howToMakeOne = "set SERVICE_API_KEY, or run `berth keys create` on the machine that Berth runs on";

/** The workspace whose rows a caller sees. */
export const workspaceOf = (caller: Caller | null): string => caller?.workspaceId ?? DEFAULT_WORKSPACE.id;

/** Who a caller is where it is kept; null where no key is needed. */
export function authorOf(caller: Caller | null): Author | null {
  if (caller === null || caller.keyId === null) return null;
  if (caller.keyId === SERVICE_KEY_ID) return { key_id: null, name: "operator" };
  return { key_id: caller.keyId, name: caller.keyName ?? "" };
}

/**
 * What a deployed agent could misuse is not to be had while anybody on this machine may call: there must be a
 * key first, which from then on everybody needs.
 * @throws Unauthenticated
 */
export function requireKey(caller: Caller | null, what: string): void {
  if (caller === null || caller.keyId === null)
    throw new Unauthenticated(`${what} needs an API key, and there is none yet: ${howToMakeOne}`);
}

/** @throws Denied */
export function requireOrganization(caller: Caller | null, what: string): void {
  if (caller?.scope !== "organization") throw new Denied(`${what} needs an API key of the organization`);
}
