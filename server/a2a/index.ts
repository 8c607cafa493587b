export { a2aRoutes } from "./routes.ts";
