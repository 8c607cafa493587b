export {
  type BackupSettings,
  type BucketAccess,
  type ControlPlaneSettings,
  type FoundSetting,
  findSettings,
  publicUrlOf,
  readSettings,
  type Settings,
  type TelemetrySettings,
  type Texts,
} from "./config.ts";
export { type DatabasePlace, databasePlace, inFile, maskedUrl, shownDatabase } from "./database-place.ts";
export type { LogFormat } from "./logs.ts";
export { isReservedName, TRACING_SWITCHES } from "./reserved-names.ts";
export { EVERY_ROLE, type Role } from "./runs.ts";
export { secretValues } from "./secret-values.ts";
export {
  folderTexts,
  isSecretName,
  MASK,
  ownName,
  PROJECT_FILES,
  SettingError,
  settingText,
  shown,
  sourcesOf,
} from "./setting.ts";
export { hideSettings, settingsIn, warnOfProjectNames, withoutSettings } from "./setting-names.ts";
export { integer } from "./setting-values.ts";
export { distance, partition, tellUnknown, unknownSettings, unknownText } from "./unknown-settings.ts";
export { STRONGER, weakKeys } from "./weak-keys.ts";
export { BUCKET_ADDRESS } from "./what-is-kept.ts";
