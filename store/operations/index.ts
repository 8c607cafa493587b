export { ACTIVITY_KINDS, Activity, type ActivityKind, type ActivityMarks } from "./activity.ts";
export {
  copyDatabaseFile,
  type DatabaseFacts,
  databaseFacts,
  inspectDatabaseFile,
  quickCheck,
  type SchemaStatus,
  schemaStatus,
} from "./database-file.ts";
export { dueWork } from "./due-work.ts";
export { type Exported, exportThread, exportUser } from "./export.ts";
export { type HeldWork, type SystemFigures, systemFigures } from "./figures.ts";
export { forgetBuilds, forgetHolders } from "./holders.ts";
export { MEMBER_EVERY_MS, type Member, Members, type SeenMember } from "./members.ts";
export { type NextWork, nextWork } from "./next-work.ts";
export { type KeptKind, previewRetention } from "./retention.ts";
export { databaseBytes } from "./server-facts.ts";
