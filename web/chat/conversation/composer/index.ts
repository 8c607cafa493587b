export { Composer } from "./composer.tsx";
export { type ContentPart, contentOf, type MessageDraft, useDraft } from "./draft.ts";
