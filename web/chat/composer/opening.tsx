import type { Assistant } from "@berth/server";
import { WORDS } from "../words.tsx";
import { Composer } from "./composer.tsx";
import { useDraft } from "./draft.tsx";
import { EmptyState } from "./examples.tsx";
import { ConversationLayout } from "./layout.tsx";

type OpeningConversationProps = { isDraft: boolean; assistant: Assistant | undefined };

/**
 * Stands in for a conversation while the code that follows a thread is on its way: one can write already, and what is
 * sent goes out when there is something to send it with.
 */
export function OpeningConversation({ isDraft, assistant }: OpeningConversationProps) {
  const { setDue } = useDraft();
  const foot = (
    <Composer
      busy={false}
      stopping={false}
      placeholder={WORDS.writeAMessage}
      onSend={() => setDue(true)}
      onStop={nothing}
      onRecall={nothing}
    />
  );
  return (
    <ConversationLayout foot={foot}>{isDraft && <EmptyState assistant={assistant} />}</ConversationLayout>
  );
}

const nothing = () => {};
