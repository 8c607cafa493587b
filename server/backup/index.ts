export { makeBackup } from "./backup.ts";
export { archiveIn, isBucketAddress, sendBackup } from "./bucket.ts";
export { type KeptBackups, keptBackups, stamp } from "./kept-backups.ts";
export { restoreBackup } from "./restore.ts";
