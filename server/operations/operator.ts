import { Denied } from "@berth/store";
import type { Caller } from "../http/call.ts";

/**
 * What a whole Berth tells of itself is of all its workspaces: for keys of the organization, and for everybody where
 * no key is asked for, since then there is nobody else.
 * @throws Denied
 */
export function requireOperator(caller: Caller | null, what: string): void {
  if (!isOperator(caller)) throw new Denied(`${what} needs an API key of the organization`);
}

/** Whether a caller may see the whole Berth. */
export const isOperator = (caller: Caller | null): boolean =>
  caller === null || caller.keyId === null || caller.scope === "organization";
