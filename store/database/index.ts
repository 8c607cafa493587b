export { FileInUse, openFileAlone } from "./alone-file.ts";
export {
  CONTROL_LEASE_MS,
  ControlLease,
  isControlled,
  type Leader,
  LeadershipLost,
  type LeaseHolder,
  pidsHere,
} from "./control-lease.ts";
export {
  type Database,
  isPostgresUrl,
  openDatabase,
  openPostgres,
  UnusableDatabase,
} from "./database.ts";
export { DEFAULT_WORKSPACE } from "./default-workspace.ts";
export type { SqlDialect } from "./dialect.ts";
export { emptiedFault } from "./emptied-file.ts";
export { type PackedText, packText, unpackText } from "./packed-text.ts";
export { type Changed, connectAlone, lockForCopy, rowsFrom } from "./postgres/index.ts";
export { isOnServer, named, type Of, partOf, prepared } from "./prepared.ts";
export { claimDatabaseFile, closeToOthers, isOpen, makePrivateFolder } from "./private-files.ts";
export { allOf, bytesOf, fitting, type GroupedPage, inGroups, type Sized } from "./row-groups.ts";
export {
  ITEMS_SCOPE,
  OUTBOX_SCOPE,
  QUEUE_SCOPE,
  TRACES_SCOPE,
  tellOfRun,
  threadScope,
  writesOfRun,
} from "./scopes.ts";
export { SharedQuestion } from "./shared-question.ts";
export { hasTable } from "./sqlite.ts";
export { type Truncated, truncate } from "./truncate.ts";
export type { Tx, WriteOrder, WriteScope } from "./writer.ts";
