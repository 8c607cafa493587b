export { type AppLook, type FetchApp, LoadedApp, type OwnApp } from "./own-app.ts";
