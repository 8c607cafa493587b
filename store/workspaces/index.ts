export { hashSecret, KEY_PREFIX, type Key, Keys } from "./keys.ts";
export { SignIns } from "./sign-ins.ts";
export {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  renameWorkspace,
} from "./workspaces.ts";
