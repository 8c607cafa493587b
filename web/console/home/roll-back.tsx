import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { isUnderWay, pathOf } from "../deployment/index.ts";
import { Ago, ConfirmDialog } from "../ui/index.ts";
import { formerOf, type Running } from "./overview.ts";

/** Goes back to what served before, without a build; nothing where there is nothing to go back to. */
export function RollBack({ running }: { running: Running }) {
  const [isAsked, setAsked] = useState(false);
  const { run, busy } = useAction();
  const { deployment, revisions } = running;
  const former = formerOf(running);
  if (!former) return null;
  const goBack = () =>
    run(
      () => api(`${pathOf(deployment.id)}/revisions/${former.id}/redeploy`, { method: "POST" }),
      `${deployment.name} goes back to revision ${former.number}`,
    );
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={<Undo2 />}
        disabled={busy || revisions.some(isUnderWay)}
        onClick={() => setAsked(true)}
        data-testid="roll-back"
      >
        Roll back
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Roll ${deployment.name} back?`}
          text={
            <p>
              Revision {former.number}, made <Ago at={former.created_at} />, serves again, with the secrets
              that it had. Nothing is built, and no request is lost while it takes over.
            </p>
          }
          confirmText={`Go back to #${former.number}`}
          look="primary"
          busy={busy}
          onConfirm={goBack}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
