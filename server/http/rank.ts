import { Denied, Unauthenticated } from "@berth/store";
import type { Policy } from "../access/index.ts";
import type { Caller } from "./call.ts";

const howToMakeOne = "set SERVICE_API_KEY, or run `berth keys create` on the machine that Berth runs on";

/**
 * Whether a caller's key is enough, once it is known to be a good one.
 * @throws Unauthenticated, Denied
 */
export function checkRank(caller: Caller | null, { asks, purpose = "This" }: Policy): void {
  if (asks === "some key" || asks === "organization key") requireKey(caller, purpose);
  if (asks === "organization key") requireOrganization(caller, purpose);
  if (asks === "operator key" && !isOperator(caller)) requireOrganization(caller, purpose);
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

/**
 * Whether a caller may see the whole Berth, which is of all its workspaces: whoever has a key of the organization, and
 * everybody where no key is asked for, since then there is nobody else.
 */
export const isOperator = (caller: Caller | null): boolean =>
  caller === null || caller.keyId === null || caller.scope === "organization";
