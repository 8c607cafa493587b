export { DeleteDialog, SettingsTab } from "./settings-tab.tsx";
