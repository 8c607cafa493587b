import { Eye } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../ui/index.ts";
import { useResource } from "../../data/index.ts";
import { CopyButton, Problem, Section } from "../../ui/index.ts";
import { type Deployment, pathOf } from "../deployment.ts";

type Hook = { url: string; secret: string };

/** What a repository needs to tell this Berth about a push. */
export function PushHook({ deployment }: { deployment: Deployment }) {
  const [isShown, setShown] = useState(false);
  const { data, error } = useResource<Hook>(isShown ? `${pathOf(deployment.id)}/push-hook` : null);
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
                <code>{data.secret}</code>
                <CopyButton text={data.secret} label="Copy the secret" />
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
