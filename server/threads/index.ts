export { feedbackRoutes } from "./feedback.ts";
export { chatStateRoutes } from "./state.ts";
export { chatAssistantRoutes, chatThreadRoutes } from "./threads.ts";
export type * from "./wire/index.ts";
