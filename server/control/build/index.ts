export { Builders, COMPLETE, endStrays, type ImagePreparer, type PreparedImage } from "./builder.ts";
export { BadArchive } from "./entry-names.ts";
export {
  BuildAborted,
  type BuildChild,
  BuildFailed,
  type BuildOrder,
  type Built,
  type Prepared,
  PrepareFailed,
} from "./order.ts";
export { type ProjectFiles, readProject } from "./project-files.ts";
export { type PythonFolders, pythonFolders } from "./python-folders.ts";
export { isPythonHere, pythonMissing } from "./python-here.ts";
export { reportProject } from "./reported-project.ts";
export { runStep } from "./step.ts";
export { configPathIn, lookIntoArchive } from "./tarball.ts";
