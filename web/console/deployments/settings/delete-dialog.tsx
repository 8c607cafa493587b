import type { Deployment } from "@berth/server";
import { useLocation } from "wouter";
import { api, useAction } from "../../data/index.ts";
import { pathOf } from "../../deployment/index.ts";
import { ConfirmDialog } from "../../ui/index.ts";

/** Asks for the name of a deployment before it is deleted. */
export function DeleteDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const { id, name } = deployment;
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const remove = async () => {
    const done = await run(async () => {
      await api(pathOf(id), { method: "DELETE" });
      return true;
    }, `${name} is deleted.`);
    if (done) navigate("/deployments");
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      text={
        <p>
          It stops answering at once, and its address is gone for good. Its threads, memory, builds and logs
          go with it, and nobody can bring them back. Its traces and issues stay as long as others do.
        </p>
      }
      confirmText="Delete the deployment"
      typeName={name}
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
