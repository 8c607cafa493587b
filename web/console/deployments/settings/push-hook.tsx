import type { Deployment, PushHook as Hook } from "@berth/server";
import { Eye, RotateCw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../ui/index.ts";
import { api, useAction, useResource } from "../../data/index.ts";
import { pathOf } from "../../deployment/index.ts";
import { ConfirmDialog, CopyButton, Problem, Section } from "../../ui/index.ts";

/** What a repository needs to tell this Berth about a push. */
export function PushHook({ deployment }: { deployment: Deployment }) {
  const [isShown, setShown] = useState(false);
  const { data, error, refresh } = useResource<Hook>(isShown ? `${pathOf(deployment.id)}/push-hook` : null);
  return (
    <Section
      title="Deploy on push"
      note="A webhook of the repository, for the event “push”, as application/json."
    >
      <div className="form-card">
        {error && <Problem error={error} />}
        {data ? (
          <dl className="hook">
            <div>
              <dt>Address</dt>
              <dd className="address">
                <code>{data.url}</code>
                <CopyButton text={data.url} label="Copy the address" />
              </dd>
            </div>
            <div>
              <dt>Secret</dt>
              <dd className="address">
                <code data-testid="push-secret">{data.secret}</code>
                <CopyButton text={data.secret} label="Copy the secret" />
                <NewSecret deployment={deployment} onNew={refresh} />
              </dd>
            </div>
          </dl>
        ) : (
          <span>
            <Button icon={<Eye />} onClick={() => setShown(true)} data-testid="push-hook">
              Show address and secret
            </Button>
          </span>
        )}
      </div>
    </Section>
  );
}

/** Makes the secret that is there good for nothing. */
function NewSecret({ deployment, onNew }: { deployment: Deployment; onNew: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { run, busy } = useAction();
  const renew = async () => {
    await run(
      () => api(`${pathOf(deployment.id)}/push-hook/rotate`, { method: "POST" }),
      "It has a new secret.",
    );
    onNew();
  };
  return (
    <>
      <Button size="small" icon={<RotateCw />} onClick={() => setOpen(true)} data-testid="new-push-secret">
        New secret
      </Button>
      {isOpen && (
        <ConfirmDialog
          title="Make a new secret?"
          text={
            <p>
              Pushes that are signed with the one that is there now are refused from then on, until the new
              one is in the webhook of the repository.
            </p>
          }
          confirmText="Make a new secret"
          look="primary"
          busy={busy}
          onConfirm={renew}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
