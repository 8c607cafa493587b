import type { Deployment } from "@berth/server";
import { MessageSquare, MoreHorizontal, RefreshCw, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { chatHref, pathOf } from "../deployment/index.ts";
import { UploadDialog } from "./fresh/index.ts";
import { DeleteDialog } from "./settings/index.ts";

/** What can be done with a deployment, from any of its parts. */
export function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const { id, source, active_revision_id } = deployment;
  const [open, setOpen] = useState<"delete" | "upload">();
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const chat = chatHref(deployment);
  const isUploaded = source === "internal_source";
  const deploy = async () => {
    const made = await run(() => api(`${pathOf(id)}/revisions`, { method: "POST", body: {} }));
    if (made) navigate(`/deployments/${id}`);
  };
  return (
    <>
      {chat && active_revision_id !== null && (
        <a href={chat} className="button button-plain" data-testid="open-chat">
          <MessageSquare />
          Open chat
        </a>
      )}
      {isUploaded ? (
        <Button look="primary" icon={<Upload />} onClick={() => setOpen("upload")} data-testid="upload">
          New version
        </Button>
      ) : (
        <Button
          look="primary"
          icon={<RefreshCw />}
          disabled={busy}
          onClick={deploy}
          data-testid="deploy-again"
        >
          Deploy again
        </Button>
      )}
      <Menu
        label="More actions"
        icon={<MoreHorizontal />}
        testId="deployment-menu"
        items={[
          ...(isUploaded
            ? [{ label: "Build the same again", icon: <RefreshCw />, onSelect: () => void deploy() }]
            : []),
          {
            label: "Delete…",
            icon: <Trash2 />,
            look: "danger" as const,
            testId: "delete",
            onSelect: () => setOpen("delete"),
          },
        ]}
      />
      {open === "delete" && <DeleteDialog deployment={deployment} onClose={() => setOpen(undefined)} />}
      {open === "upload" && <UploadDialog deployment={deployment} onClose={() => setOpen(undefined)} />}
    </>
  );
}
