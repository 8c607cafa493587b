export { lookIntoArchive } from "./archive-config.ts";
export { Builders, type ImagePreparer, type PreparedImage } from "./builder.ts";
export { BadArchive } from "./entry-names.ts";
export {
  type BuildChild,
  BuildFailed,
  type BuildOrder,
  type Built,
  type Prepared,
  PrepareFailed,
} from "./order.ts";
export { runStep } from "./step.ts";
export { endStrays } from "./strays.ts";
export { configPathIn } from "./tarball.ts";
