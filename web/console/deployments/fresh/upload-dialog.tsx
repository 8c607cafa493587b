import type { Deployment } from "@berth/server";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button, Dialog, Spinner } from "../../../ui/index.ts";
import { useAction } from "../../data/index.ts";
import { configPathOf, type DroppedProject } from "../archive.ts";
import { DropZone } from "./drop-zone.tsx";
import { type SentShare, uploadRevision } from "./upload.ts";

/** Brings a new version of an uploaded project. */
export function UploadDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const [project, setProject] = useState<DroppedProject>();
  const [progress, setProgress] = useState<SentShare>();
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const upload = async () => {
    if (!project) return;
    const config_path =
      (project.kind === "folder" ? configPathOf(project.files) : undefined) ??
      deployment.source_revision_config.langgraph_config_path ??
      "graph.json";
    const done = await run(() =>
      uploadRevision(deployment, project, { config_path, onProgress: setProgress }),
    );
    setProgress(undefined);
    if (!done) return;
    onClose();
    navigate(`/deployments/${deployment.id}`);
  };
  return (
    <Dialog
      title={`A new version of ${deployment.name}`}
      onClose={onClose}
      testId="upload-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!project || busy} onClick={upload} data-testid="upload-submit">
            Upload and deploy
          </Button>
        </>
      }
    >
      <DropZone project={project} onProject={setProject} />
      {progress && <UploadProgress progress={progress} />}
    </Dialog>
  );
}

/** How far an upload is. */
export function UploadProgress({ progress: { stage, share } }: { progress: SentShare }) {
  if (stage === "packing")
    return (
      <p className="form-note" role="status">
        <Spinner /> Packing…
      </p>
    );
  const percent = Math.round(share * 100);
  return (
    <p className="form-note">
      <label>
        Sending, {percent} %
        <progress className="upload-progress" max={100} value={percent} />
      </label>
    </p>
  );
}
