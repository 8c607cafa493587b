export {
  createDeployment,
  type Draft,
  emptyDraft,
  lackOf,
  sendProject,
  suggestedName,
} from "./new-deployment.ts";
export { SourceInputs } from "./source-inputs.tsx";
export { TemplateChoice } from "./template-choice.tsx";
export type { Progress } from "./upload.ts";
export { UploadDialog } from "./upload-dialog.tsx";
export { UploadProgress } from "./upload-progress.tsx";
