export { Composer } from "./composer.tsx";
export { type ContentPart, contentOf, type Draft, useDraft } from "./draft.ts";
