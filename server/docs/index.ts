export { docsPages, docsRoutes } from "./routes.ts";
