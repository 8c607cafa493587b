import type { Deployment, UploadTarget } from "@berth/server";
import { useState } from "react";
import { useLocation } from "wouter";
import { base } from "../../../api/index.ts";
import { Spinner } from "../../../ui/index.ts";
import { api, RequestFailed, useSubmission } from "../../data/index.ts";
import { pathOf, rolloutHref } from "../../deployment.tsx";
import { FormDialog } from "../../ui/index.ts";
import { configPathOf, type DroppedProject, packed } from "../archive.ts";
import { WORDS } from "../words.tsx";
import { DropZone } from "./drop-zone.tsx";

/** Brings a new version of an uploaded project. */
export function UploadDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const [project, setProject] = useState<DroppedProject>();
  const [progress, setProgress] = useState<SentShare>();
  const action = useSubmission();
  const [, navigate] = useLocation();
  const upload = async () => {
    if (!project) return;
    const config_path =
      (project.kind === "folder" ? configPathOf(project.files) : undefined) ??
      deployment.source_revision_config.langgraph_config_path ??
      "graph.json";
    const done = await action.run(() =>
      uploadRevision(deployment, project, { config_path, onProgress: setProgress }),
    );
    setProgress(undefined);
    if (done) navigate(rolloutHref(deployment.id, done.latest_revision_id));
    return done;
  };
  return (
    <FormDialog
      title={WORDS.aNewVersion(deployment.name)}
      confirmText={WORDS.uploadAndDeploy}
      isReady={project !== undefined}
      action={action}
      onDo={upload}
      onClose={onClose}
      testId="upload-dialog"
      confirmTestId="upload-submit"
    >
      <DropZone project={project} onProject={setProject} />
      {progress && <UploadProgress progress={progress} />}
    </FormDialog>
  );
}

/** How far an upload is. */
export function UploadProgress({ progress: { stage, share } }: { progress: SentShare }) {
  if (stage === "packing")
    return (
      <p className="form-note" role="status">
        {WORDS.packing(<Spinner />)}
      </p>
    );
  const percent = Math.round(share * 100);
  return (
    <p className="form-note">
      <label>
        {WORDS.sending(percent)}
        <progress className="upload-progress" max={100} value={percent} />
      </label>
    </p>
  );
}

/** What the server takes of one archive. */
const MOST_BYTES = 209_715_200;

export type SentShare = { stage: "packing" | "sending"; share: number };

/**
 * Packs a project, sends it, and asks for a revision of it.
 * @throws RequestFailed
 */
export async function uploadRevision(
  deployment: Deployment,
  project: DroppedProject,
  more: { config_path?: string | undefined; onProgress: (progress: SentShare) => void },
): Promise<Deployment> {
  const { id, source } = deployment;
  more.onProgress({ stage: "packing", share: 0 });
  const archive = await packed(project);
  if (archive.size > MOST_BYTES)
    throw new RequestFailed(413, WORDS.archiveTooLarge(archive.size, MOST_BYTES));
  const target = await api<UploadTarget>(`${pathOf(id)}/upload-url`, {
    method: "POST",
  });
  await send(ownAddress(target.upload_url), archive, (share) => more.onProgress({ stage: "sending", share }));
  const config =
    source === "internal_source"
      ? { source_tarball_path: target.object_path, langgraph_config_path: more.config_path ?? null }
      : { image_uri: target.object_path };
  return api<Deployment>(pathOf(id), { method: "PATCH", body: { source_revision_config: config } });
}

/** The address is the public one, which may be another name for the server that this page came from. */
const ownAddress = (url: string): string => base + url.slice(url.lastIndexOf("/v2/uploads/"));

/** `fetch` does not tell how far it is. */
function send(address: string, archive: Blob, onShare: (share: number) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  request.open("PUT", address);
  request.upload.addEventListener("progress", ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0));
  request.addEventListener("load", () => {
    if (request.status === 200) resolve();
    else reject(new RequestFailed(request.status, reasonIn(request.responseText)));
  });
  request.addEventListener("error", () => reject(new RequestFailed(0, WORDS.uploadBroken)));
  request.send(archive);
  return promise;
}

function reasonIn(text: string): string {
  try {
    const { detail } = JSON.parse(text);
    if (typeof detail === "string") return detail;
  } catch {
    // A proxy's page.
  }
  return WORDS.uploadRefused;
}
