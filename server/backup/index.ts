export { makeBackup } from "./backup.ts";
export { type KeptBackups, keptBackups, stamp } from "./kept-backups.ts";
export { restoreBackup } from "./restore.ts";
export { archiveIn, sendBackup } from "./sent-backup.ts";
