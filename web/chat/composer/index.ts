// Where a message is written: what of a conversation is there before its thread is followed.

export { type Attachment, type ContentPart, contentOf, readTextFile } from "./attachment.ts";
export { Composer } from "./composer.tsx";
export { DraftProvider, type MessageDraft, useDraft } from "./draft.tsx";
export { EmptyState } from "./examples.tsx";
export { ConversationLayout } from "./layout.tsx";
export { OpeningConversation } from "./opening.tsx";
