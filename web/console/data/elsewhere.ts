import type { Workspace } from "@berth/server";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  api,
  chooseWorkspace,
  type RequestFailed,
  tenantHeaders,
  useResource,
  useWorkspace,
} from "../../data/index.ts";
import { useToast } from "../../ui/index.ts";

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
    toast({ text: `This is in the workspace ${found.name}` });
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
