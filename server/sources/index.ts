export { type CheckReport, readReport, writeReport } from "./check-report.ts";
export {
  commandFault,
  configPathFault,
  customUrlFault,
  isCommitId,
  repoRefFault,
  repoUrlFault,
} from "./source-rules.ts";
export { EXPORTED_REQUIREMENTS, type UvLock, uvExportArguments } from "./uv-lock.ts";
export {
  isMember,
  MANIFEST,
  MAX_MEMBER_GLOBS,
  MAX_MEMBERS,
  memberFileGlob,
  memberGlobFault,
  memberGlobs,
  memberMatcher,
  PNPM_WORKSPACE,
} from "./workspaces.ts";
