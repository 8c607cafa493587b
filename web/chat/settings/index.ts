import { lazyScreen } from "../../ui/index.ts";

export {
  otherInput,
  rememberAssistant,
  useAssistants,
  useSchemas,
  useThreadSettings,
  whyNoSettings,
} from "./thread-settings.ts";

export const ContextForm = lazyScreen(() => import("./context-form.tsx"), "ContextForm");
