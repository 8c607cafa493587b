export { type ContentPart, contentOf } from "./attachments.ts";
export { Composer } from "./composer.tsx";
export { type Draft, useDraft } from "./use-draft.ts";
