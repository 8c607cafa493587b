export { ContextForm } from "./context-form.tsx";
export { useAssistants, useSchemas, useThreadSettings, whyNoSettings } from "./thread-settings.ts";
