import type { Deployment, Revision } from "@berth/server";
import { History, RotateCw, Square } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../../ui/index.ts";
import { api, useAction } from "../../data/index.ts";
import { canDeployAgain, isUnderWay, pathOf } from "../../deployment/index.ts";
import { ConfirmDialog } from "../../ui/index.ts";

type RevisionActionsProps = { deployment: Deployment; revision: Revision };

/** What can be done with one revision: going back to it, starting it anew, or stopping it on its way. */
export function RevisionActions({ deployment, revision }: RevisionActionsProps) {
  const isActive = revision.id === deployment.active_revision_id;
  if (isUnderWay(revision)) return <InterruptButton revision={revision} deploymentId={deployment.id} />;
  if (!canDeployAgain(revision)) return null;
  return isActive ? (
    <RestartButton revision={revision} deploymentId={deployment.id} />
  ) : (
    <RollBackButton revision={revision} deployment={deployment} />
  );
}

type ButtonProps = { revision: Revision; deploymentId: string };

/** Stops a build or a start; what serves goes on. */
export function InterruptButton({ revision: { id, number }, deploymentId }: ButtonProps) {
  const { run, busy } = useAction();
  const stop = () =>
    run(
      () => api(`${pathOf(deploymentId)}/revisions/${id}/interrupt`, { method: "POST" }),
      `Revision ${number} is being stopped.`,
    );
  return (
    <Button size="small" icon={<Square />} disabled={busy} onClick={stop} data-testid="interrupt">
      Interrupt
    </Button>
  );
}

function RestartButton({ revision: { id }, deploymentId }: ButtonProps) {
  const redeploy = useRedeploy(deploymentId, id);
  return (
    <Button
      size="small"
      look="quiet"
      icon={<RotateCw />}
      disabled={redeploy.busy}
      onClick={redeploy.start}
      data-testid="restart"
    >
      Start anew
    </Button>
  );
}

/** Goes back to a revision that was deployed before. */
export function RollBackButton({ revision, deployment }: RevisionActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const redeploy = useRedeploy(deployment.id, revision.id);
  return (
    <>
      <Button size="small" icon={<History />} onClick={() => setOpen(true)} data-testid="roll-back">
        Roll back
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`Go back to revision ${revision.number}?`}
          text={
            <p>
              {deployment.name} starts again from the build of revision {revision.number}, with the
              environment that it had. Until that one answers, the revision that serves now serves on. Threads
              and memory stay as they are.
            </p>
          }
          confirmText="Roll back"
          look="primary"
          onConfirm={redeploy.start}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function useRedeploy(deploymentId: string, revisionId: string) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const start = async () => {
    const path = `${pathOf(deploymentId)}/revisions/${revisionId}/redeploy`;
    if (await run(() => api(path, { method: "POST" }))) navigate(`/deployments/${deploymentId}`);
  };
  return { start, busy };
}
