import type { Deployment, DeploymentsPage, SessionsPage, SignIn, Workspace } from "@berth/server";
import { useQuery } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { UNKNOWN } from "../../api/index.ts";
import {
  api,
  chooseWorkspace,
  type RequestFailed,
  tenantHeaders,
  useResource,
  useWorkspace,
} from "../../data/index.ts";
import { useToast } from "../../ui/index.ts";
import { WORDS } from "../words.ts";

export type ProjectPlace = {
  /** The deployment; null for the project that Berth itself serves. */
  at: string | null;
  /** In front of the Agent Server's paths: empty, or `/d/<id>`. */
  base: string;
  name: string;
};

export type ProjectChoice = Pick<Deployment, "id" | "name">;

/** What the served project is called where its name is not known, as in another workspace than its own. */
const NAMELESS = WORDS.thisBerthsProject;

/** The project that the screen looks at: `?at=<deployment_id>`, else the one that Berth itself serves. */
export function useProject(): ProjectPlace {
  const at = useAddressQuery().get("at") || null;
  const choices = useProjectChoices();
  const own = useOwnProject();
  if (at === null) return { at, base: "", name: own };
  const name = choices.find(({ id }) => id === at)?.name ?? at;
  return { at, base: `/d/${encodeURIComponent(at)}`, name };
}

/** What the project is called that Berth itself serves. */
export function useOwnProject(): string {
  const { data } = useResource<SessionsPage>("/v1/sessions?served=true");
  return data?.resources[0]?.name ?? NAMELESS;
}

/** The deployments that may be looked at. */
export function useProjectChoices(): readonly ProjectChoice[] {
  const { data } = useResource<DeploymentsPage>("/v2/deployments?limit=100", {
    live: ["deployments"],
  });
  return data?.resources ?? [];
}

/**
 * Looks for something in the other workspaces of a key when it is not in this one, and goes there: links in webhooks
 * name no workspace.
 * @returns whether it is still being looked for
 */
export function useElsewhere(path: string, error: RequestFailed | undefined): boolean {
  const isMissing = error?.status === 404;
  const { data } = useResource<Workspace[]>(isMissing ? "/v1/workspaces" : null, { anywhere: true });
  const here = useWorkspace();
  const toast = useToast();
  const { data: found, isPending } = useQuery({
    queryKey: [here ?? "", "elsewhere", path],
    enabled: isMissing && data !== undefined && here !== undefined,
    queryFn: () => workspaceWith(path, data?.filter(({ id }) => id !== here) ?? []),
    meta: { once: true },
  });
  useEffect(() => {
    if (!found) return;
    chooseWorkspace(found.id);
    toast({ text: WORDS.inWorkspace(found.name) });
  }, [found, toast]);
  return isMissing && here !== undefined && (isPending || found !== null);
}

async function workspaceWith(path: string, others: readonly Workspace[]): Promise<Workspace | null> {
  for (const workspace of others) {
    const headers = { ...tenantHeaders(), "x-tenant-id": workspace.id };
    const there = await api(path, { headers }).then(
      () => true,
      () => false,
    );
    if (there) return workspace;
  }
  return null;
}

/** Who looks at the console. */
export const SignedIn = createContext<SignIn>(UNKNOWN);

/** Whether they may see what is of the whole server, and not of one workspace. */
export const useIsOperator = (): boolean => useContext(SignedIn).is_operator;

/** Whether there are keys: until then nobody can deploy, and keys are made in a terminal. */
export const useHasKeys = (): boolean => useContext(SignedIn).required;

export type AddressQuery = {
  /** What the address says under a name; "" when nothing. */
  get(name: string): string;
  /** Changes the address in place; an empty value takes the name away. */
  set(changes: Record<string, string | null>): void;
  /** The query with these changes, for a link; begins with `?` unless it is empty. */
  with(changes: Record<string, string | null>): string;
};

/** The part of the address behind `?`, where filters are kept so that a screen can be shared and reloaded. */
export function useAddressQuery(): AddressQuery {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const changed = useCallback(
    (changes: Record<string, string | null>) => changedQuery(search, changes),
    [search],
  );
  return useMemo(() => {
    const values = new URLSearchParams(search);
    return {
      get: (name) => values.get(name) ?? "",
      set: (changes) => navigate(location + changed(changes), { replace: true }),
      with: changed,
    };
  }, [search, location, navigate, changed]);
}

/** A query string with some of its values changed. */
export function changedQuery(search: string, changes: Record<string, string | null>): string {
  const values = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") values.delete(name);
    else values.set(name, value);
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}
