import type { Deployment } from "@berth/server";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../ui/index.ts";
import { Section } from "../../ui/index.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { PushHook } from "./push-hook.tsx";
import { ResourceForm } from "./resource-form.tsx";
import { SourceForm } from "./source-form.tsx";

/** What a deployment is made from and with, and its end. */
export function SettingsTab({ deployment }: { deployment: Deployment }) {
  const { source } = deployment;
  const isImage = source === "internal_docker" || source === "external_docker";
  return (
    <>
      <SourceForm key={deployment.updated_at} deployment={deployment} />
      {source === "github" && <PushHook deployment={deployment} />}
      {isImage && <ResourceForm key={`resources-${deployment.updated_at}`} deployment={deployment} />}
      <DangerZone deployment={deployment} />
    </>
  );
}

function DangerZone({ deployment }: { deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Delete">
      <div className="form-card">
        <div className="form-foot form-foot-plain">
          <span className="form-note">
            Threads, memory, builds and logs go with it. Nobody can bring them back.
          </span>
          <Button
            look="danger"
            icon={<Trash2 />}
            onClick={() => setOpen(true)}
            data-testid="delete-deployment"
          >
            Delete…
          </Button>
        </div>
      </div>
      {isOpen && <DeleteDialog deployment={deployment} onClose={() => setOpen(false)} />}
    </Section>
  );
}
