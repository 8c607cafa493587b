import type { Workspace } from "@berth/server";
import { useSyncExternalStore } from "react";
import { RequestFailed, type RequestOptions, reasonOf, recall, remember, request } from "../api/index.ts";

export { RequestFailed, reasonOf, request };

/**
 * Asks this server, about the workspace that was chosen.
 * @throws RequestFailed the server's refusal, or that it does not answer (status 0)
 */
export function api<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>(path, { ...options, headers: { ...tenantHeaders(), ...options.headers } });
}

/** What went wrong, as one kind of error; nothing where nothing did. */
export function failureOf(error: unknown): RequestFailed | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof RequestFailed) return error;
  return new RequestFailed(0, reasonOf(error));
}

const NAME = "workspace";

/** The workspace that requests are about. Nothing until those of the key are known, and where there is one only. */
let chosen: string | undefined;
const listeners = new Set<() => void>();

/** The header by which a key of the organization names the workspace; the others' keys may name their own. */
export const tenantHeaders = (): Record<string, string> =>
  chosen === undefined ? {} : { "x-tenant-id": chosen };

/** Chooses the one that was chosen last in this browser, if it is still there. */
export function startInWorkspace(workspaces: readonly Workspace[]): void {
  const before = recall<string>(NAME);
  const known = workspaces.find(({ id }) => id === before) ?? workspaces[0];
  tell(known?.id);
}

/** From now on everything is about this workspace. */
export function chooseWorkspace(id: string): void {
  remember(NAME, id);
  tell(id);
}

/** The id of the workspace that is looked at. */
export function useWorkspace(): string | undefined {
  return useSyncExternalStore(subscribe, () => chosen);
}

function tell(id: string | undefined): void {
  chosen = id;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
