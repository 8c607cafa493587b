export { CustomApps, withMiddlewareHeaders } from "./custom-app.ts";
export { isPlainFile, uiRoutes } from "./ui-routes.ts";
