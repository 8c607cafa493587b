export { type BackupSettings, BUCKET_ADDRESS, type BucketAccess } from "./backup-settings.ts";
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
export { distance } from "./edit-distance.ts";
export { isReservedName } from "./reserved-names.ts";
export { integer, isSecretName, MASK, SettingError, shown } from "./setting.ts";
export { sourcesOf } from "./setting-sources.ts";
export type { LogFormat } from "./setting-values.ts";
export { partition, tellUnknown, unknownSettings, unknownText } from "./unknown-settings.ts";
export { STRONGER, weakKeys } from "./weak-keys.ts";
