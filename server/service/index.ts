export { onHangup, type SettingsReading } from "./hangup.ts";
export { type ServiceManager, serviceManager } from "./notify.ts";
export { unitText } from "./unit.ts";
