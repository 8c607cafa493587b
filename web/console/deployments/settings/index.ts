export { DeleteDialog } from "./delete-dialog.tsx";
export { SettingsTab } from "./settings-tab.tsx";
