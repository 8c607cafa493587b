export { withMiddlewareHeaders } from "./custom-app.ts";
export { CustomApps } from "./custom-apps.ts";
export { isPlainFile } from "./ui-files.ts";
export { uiRoutes } from "./ui-routes.ts";
