export { makeBackup } from "./backup.ts";
export { isBucketAddress } from "./bucket.ts";
export { archiveIn, sendBackup } from "./elsewhere.ts";
export { type KeptBackups, keptBackups, stamp } from "./kept-backups.ts";
export { restoreBackup } from "./restore.ts";
