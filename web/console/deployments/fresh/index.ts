export {
  createDeployment,
  type Draft,
  emptyDraft,
  lackOf,
  sendProject,
  suggestedName,
} from "./new-deployment.ts";
export { SourceInputs, TemplateChoice } from "./source-inputs.tsx";
export type { Progress } from "./upload.ts";
export { UploadDialog, UploadProgress } from "./upload-dialog.tsx";
