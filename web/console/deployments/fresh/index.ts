export {
  createDeployment,
  type DeploymentDraft,
  emptyDraft,
  lackOf,
  sendProject,
  suggestedName,
} from "./new-deployment.ts";
export { SourceInputs, TemplateChoice } from "./source-inputs.tsx";
export { type SentShare, UploadDialog, UploadProgress } from "./upload-dialog.tsx";
