export { EMBEDDED, writePage } from "./page-folder.ts";
export { chatDocuments, chatFiles, consoleRoutes, documentAnswer, linkRoutes, webRoutes } from "./routes.ts";
export { keyIn, type SignInDeps, signInRoutes } from "./sign-in.ts";
export { freshPage, Site, SOURCES } from "./site.ts";
export type * from "./wire/index.ts";
