export { type CheckReport, readReport, writeReport } from "./check-report.ts";
export {
  commandFault,
  configPathFault,
  customUrlFault,
  isCommitId,
  repoRefFault,
  repoUrlFault,
} from "./source-rules.ts";
export { isMember, MANIFEST, memberGlobFault, memberGlobs, PNPM_WORKSPACE } from "./workspaces.ts";
