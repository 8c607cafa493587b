export { closeDataFolder, isOpenFolder, letPass } from "./data-folder.ts";
export { sizeText } from "./size-text.ts";
