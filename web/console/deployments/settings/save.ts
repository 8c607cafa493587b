import type { Deployment, Revision } from "@berth/server";
import { useLocation } from "wouter";
import { api, useAction } from "../../data/index.ts";
import { pathOf } from "../../deployment/index.ts";

/** Changes a deployment, and goes to look at the new revision where the change makes one. */
export function useSave({ id, latest_revision_id }: Deployment) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  /** @param always makes a revision also of what would wait for the next one */
  const save = async (body: unknown, always = false) => {
    const latest = await run(async () => {
      if (always) return (await api<Revision>(`${pathOf(id)}/revisions`, { method: "POST", body })).id;
      return (await api<Deployment>(pathOf(id), { method: "PATCH", body })).latest_revision_id;
    }, "Saved.");
    if (latest && latest !== latest_revision_id) navigate(`/deployments/${id}`);
  };
  return { save, busy };
}
