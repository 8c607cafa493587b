export { type AppLook, type FetchApp, LoadedApp, type OwnApp } from "./own-app.ts";
export { PythonApp } from "./python-app.ts";
