export { bundleUi, codeFaults, type UiBundle, UiFault, uiGlobal } from "./ui-bundle.ts";
