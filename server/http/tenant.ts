import { Denied } from "@berth/store";
import type { Tenant } from "../access/index.ts";
import type { Caller } from "./call.ts";
import { SERVICE_KEY_ID } from "./keys.ts";

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
      "This API key is of the whole organization and requires workspace specification: send X-Tenant-Id",
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
