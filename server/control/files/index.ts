export { type Archives, LocalArchives, removeOld } from "./local-archives.ts";
export { type FileSettings, isShared, openArchives, sharedPlaceFor } from "./open.ts";
export { SharedArchives, type SharedPlace } from "./shared-archives.ts";
