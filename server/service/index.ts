export { onHangup, type ServiceManager, type SettingsReading, serviceManager } from "./notify.ts";
export { unitText } from "./unit.ts";
