export { ContextForm } from "./context-form.tsx";
export { useThreadSettings } from "./thread-settings.ts";
export { useAssistants } from "./use-assistants.ts";
export { useSchemas, whyNoSettings } from "./use-schemas.ts";
