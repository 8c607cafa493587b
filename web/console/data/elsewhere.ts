import { useEffect, useRef, useState } from "react";
import { useToast } from "../../ui/index.ts";
import { api, type RequestFailed } from "./request.ts";
import { useResource } from "./resource.ts";
import { chooseWorkspace, tenantHeaders, useWorkspace, type Workspace } from "./workspace.ts";

/**
 * Looks for something in the other workspaces of a key when it is not in this one, and goes there: links in webhooks
 * name no workspace.
 * @returns whether it is still being looked for
 */
export function useElsewhere(path: string, error: RequestFailed | undefined): boolean {
  const isMissing = error?.status === 404;
  const { data } = useResource<Workspace[]>(isMissing ? "/v1/workspaces" : null);
  const here = useWorkspace();
  const toast = useToast();
  const [sought, setSought] = useState<string>();
  const tell = useRef(toast);
  tell.current = toast;
  useEffect(() => {
    if (!isMissing || data === undefined || here === undefined || sought === path) return;
    let isOver = false;
    const look = async () => {
      const found = await workspaceWith(
        path,
        data.filter(({ id }) => id !== here),
      );
      if (isOver) return;
      if (found) {
        chooseWorkspace(found.id);
        tell.current({ text: `This is in the workspace ${found.name}` });
      }
      setSought(path);
    };
    void look();
    return () => {
      isOver = true;
    };
  }, [isMissing, data, here, path, sought]);
  return isMissing && here !== undefined && sought !== path;
}

async function workspaceWith(path: string, others: readonly Workspace[]): Promise<Workspace | undefined> {
  for (const workspace of others) {
    const headers = { ...tenantHeaders(), "x-tenant-id": workspace.id };
    const there = await api(path, { headers }).then(
      () => true,
      () => false,
    );
    if (there) return workspace;
  }
}
