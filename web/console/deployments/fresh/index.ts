export {
  createDeployment,
  type DeploymentDraft,
  emptyDraft,
  lackOf,
  sendProject,
  suggestedName,
} from "./new-deployment.ts";
export { SourceInputs, TemplateChoice } from "./source-inputs.tsx";
export type { SentShare } from "./upload.ts";
export { UploadDialog, UploadProgress } from "./upload-dialog.tsx";
