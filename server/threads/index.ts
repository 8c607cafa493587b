export { chatAssistantRoutes } from "./assistants.ts";
export { feedbackRoutes } from "./feedback.ts";
export { chatStateRoutes } from "./state.ts";
export { chatThreadRoutes } from "./threads.ts";
export type * from "./wire/index.ts";
