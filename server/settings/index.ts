export {
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
export { isReservedName, TRACING_SWITCHES } from "./reserved-names.ts";
export { EVERY_ROLE, type Role } from "./roles.ts";
export { integer, isSecretName, MASK, SettingError, shown, sourcesOf } from "./setting.ts";
export { type BackupSettings, BUCKET_ADDRESS, type BucketAccess, type LogFormat } from "./setting-values.ts";
export { distance, partition, tellUnknown, unknownSettings, unknownText } from "./unknown-settings.ts";
export { STRONGER, weakKeys } from "./weak-keys.ts";
