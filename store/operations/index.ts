export { ACTIVITY_KINDS, Activity, type ActivityKind, type ActivityMarks } from "./activity.ts";
export { type BackupStatus, BackupStatuses, backupStatus, type MadeBackup } from "./backup-status.ts";
export { type Compaction, CompactionRefused, compactDatabaseFile } from "./compaction.ts";
export { type DatabaseFacts, databaseFacts, factsFrom, rowsByTable } from "./database-facts.ts";
export { copyDatabaseFile, inspectDatabaseFile, quickCheck } from "./database-file.ts";
export { changing, type DatabaseLook, looking } from "./database-look.ts";
export { dueWork } from "./due-work.ts";
export { type Exported, exportThread, exportUser } from "./export.ts";
export { type HeldWork, type SystemFigures, systemFigures } from "./figures.ts";
export { type Erased, eraseThread, eraseUser, requireFileAlone, rewriteTables } from "./forget.ts";
export { type FreePages, freePages, freePagesOf, giveBackSlice } from "./free-pages.ts";
export { forgetBuilds, forgetHolders } from "./holders.ts";
export { MEMBER_EVERY_MS, type Member, Members, type SeenMember } from "./members.ts";
export { type NextWork, nextWork } from "./next-work.ts";
export { type KeptKind, previewRetention } from "./retention.ts";
export { type SchemaStatus, schemaStatus } from "./schema-status.ts";
export {
  atOneMoment,
  databasesThere,
  dropTables,
  markFilling,
  rowsOf,
  type ServerMoment,
  serverVersion,
  tablesOf,
  unmarkFilling,
} from "./server-copy.ts";
export { databaseBytes, type ServerFacts, serverFacts } from "./server-facts.ts";
