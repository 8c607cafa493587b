import { type Author, DEFAULT_WORKSPACE, Denied, Unauthenticated } from "@berth/store";
import type { Policy, Tenant } from "../access/index.ts";
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

/** Whether there is a workspace of this id. */
export type HasWorkspace = (id: string) => Promise<boolean>;

/**
 * The caller in the workspace that the request is about. A workspace's key is good for its own; an
 * organization's names one with `X-Tenant-Id`, and only the operator's own key may leave it to the default.
 * Throws `Denied`.
 */
export function inWorkspace(
  request: Request,
  caller: Caller,
  { tenant, hasWorkspace }: { tenant: Tenant; hasWorkspace: HasWorkspace },
): Caller | Promise<Caller> {
  const named = request.headers.get("x-tenant-id")?.trim().toLowerCase();
  if (named === undefined || named === "") {
    const mayLeaveOut =
      caller.scope !== "organization" || caller.keyId === SERVICE_KEY_ID || caller.keyId === null;
    if (mayLeaveOut || tenant === "any") return caller;
    throw new Denied(
      "This API key is for the whole organization and requires workspace specification: send the workspace's id as X-Tenant-Id",
    );
  }
  if (named === caller.workspaceId) return caller;
  if (caller.scope !== "organization") throw new Denied(notYours);
  return hasWorkspace(named).then((exists) => {
    if (!exists) throw new Denied(notYours);
    return { ...caller, workspaceId: named };
  });
}

const notYours = "X-Tenant-Id names a workspace that this API key is not good for";
