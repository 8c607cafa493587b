export { codeFaults } from "./code-faults.ts";
export { bundleUi, type UiBundle, UiFault, uiGlobal } from "./ui-bundle.ts";
