export { type Archives, LocalArchives } from "./local-archives.ts";
export { isShared, openArchives } from "./open.ts";
export { SharedArchives, type SharedPlace } from "./shared-archives.ts";
