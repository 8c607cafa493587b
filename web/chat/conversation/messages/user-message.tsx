import { Pencil } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../../ui/index.ts";
import { Components } from "../component-view.tsx";
import type { ChatMessage } from "../content.ts";
import { useConversation } from "../conversation-context.ts";
import { Questions } from "../interrupts/index.ts";
import { WORDS } from "../words.tsx";
import { AttachmentViews, BranchSwitch } from "./message-parts.tsx";

/** What a person said, which can be said again differently. */
export const UserMessage = memo(function UserMessage({
  message,
  plain,
}: {
  message: ChatMessage;
  plain: boolean;
}) {
  const { edit } = useConversation();
  const [editing, setEditing] = useState(false);
  const again = async (text: string) => {
    if (await edit(message, text)) setEditing(false);
  };
  if (editing) return <EditForm text={message.text} onCancel={() => setEditing(false)} onSend={again} />;
  return (
    <article className="user" data-testid="message-user" data-entry={message.id} data-message-id={message.id}>
      <h2 className="visually-hidden">{WORDS.you}</h2>
      <div className="bubble">
        <AttachmentViews attachments={message.attachments} />
        {message.text && <FoldedText text={message.text} />}
      </div>
      <Components of={message.id} />
      <Questions of={message.id} />
      {!plain && <UserActions messageId={message.id} onEdit={() => setEditing(true)} />}
    </article>
  );
});

/** A text that is longer than this in characters or lines is folded. */
const LONG_CHARS = 1_500;
const LONG_LINES = 24;

/** What a person wrote; of a long text, such as a log that was pasted, the beginning until one wants to see it all. */
function FoldedText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split("\n");
  if (text.length <= LONG_CHARS && lines.length <= LONG_LINES) return <p>{text}</p>;
  const beginning = lines
    .slice(0, LONG_LINES / 2)
    .join("\n")
    .slice(0, LONG_CHARS / 2);
  return (
    <>
      <p>{isOpen ? text : `${beginning}…`}</p>
      <Button
        size="small"
        look="quiet"
        aria-expanded={isOpen}
        data-testid="fold"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen
          ? WORDS.showLess
          : WORDS.showAll(lines.length > LONG_LINES ? WORDS.lines(lines.length) : WORDS.ofIt)}
      </Button>
    </>
  );
}

function UserActions({ messageId, onEdit }: { messageId: string; onEdit: () => void }) {
  const { busy, forks } = useConversation();
  const fork = forks.get(messageId);
  return (
    <div className="actions">
      <IconButton
        label={WORDS.editAndSendAgain}
        size="small"
        data-testid="edit-message"
        className="on-hover"
        disabled={busy}
        onClick={onEdit}
      >
        <Pencil />
      </IconButton>
      {fork && <BranchSwitch fork={fork} />}
    </div>
  );
}

type EditFormProps = { text: string; onCancel: () => void; onSend: (text: string) => Promise<void> };

function EditForm({ text, onCancel, onSend }: EditFormProps) {
  const [draft, setDraft] = useState(text);
  const [sending, setSending] = useState(false);
  const field = useFocusAtEnd();
  const send = async () => {
    if (!draft.trim() || sending) return;
    setSending(true);
    await onSend(draft.trim());
    setSending(false);
  };
  const onKeyDown = (event: KeyboardEvent) => onKey(event, { send, onCancel });
  return (
    <form
      className="edit"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        aria-label={WORDS.editTheMessage}
        data-testid="edit-text"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="edit-actions">
        <EditHint />
        <Button size="small" look="quiet" onClick={onCancel}>
          {WORDS.cancel}
        </Button>
        <Button
          size="small"
          look="primary"
          type="submit"
          data-testid="edit-send"
          disabled={!draft.trim() || sending}
        >
          {WORDS.send}
        </Button>
      </div>
    </form>
  );
}

function onKey(event: KeyboardEvent, { send, onCancel }: { send: () => void; onCancel: () => void }) {
  const { key, shiftKey, nativeEvent } = event;
  if (key === "Escape") {
    event.stopPropagation();
    onCancel();
  } else if (key === "Enter" && !shiftKey && !nativeEvent.isComposing) {
    event.preventDefault();
    send();
  }
}

const EditHint = () => <span className="edit-hint">{WORDS.editHint}</span>;

/** For a field that the writer goes on in as soon as it appears. */
function useFocusAtEnd() {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  return field;
}
