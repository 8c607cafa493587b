import { ArrowUp, FileText, Paperclip, Square, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useLayoutEffect } from "react";
import { IconButton } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import type { Attachment } from "./attachment.ts";
import { type MessageDraft, useDraft } from "./draft.tsx";
import "./composer.css";

type ComposerProps = {
  busy: boolean;
  stopping: boolean;
  placeholder: string;
  /** Why nothing can be sent now; stands in the field instead. */
  blocked?: string;
  onSend: () => void;
  onStop: () => void;
  /** ArrowUp in an empty field. */
  onRecall: () => void;
  /** What stands below: the tokens of the thread. */
  children?: ReactNode;
};

/** Where a message is written. Enter sends, Shift+Enter starts a line. */
export function Composer(props: ComposerProps) {
  const { busy, stopping, placeholder, onSend, onStop, onRecall, children } = props;
  const draft = useDraft();
  const blocked = draft.isDue ? WORDS.beingSent : props.blocked;
  useSameCaret(draft);
  const empty = draft.text.trim() === "" && draft.attachments.length === 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowUp" && empty) {
      event.preventDefault();
      onRecall();
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!empty && !blocked) onSend();
  };
  return (
    <form
      className="composer"
      data-testid="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (!empty && !blocked) onSend();
      }}
    >
      {draft.wrong && (
        <p className="composer-wrong" role="alert">
          {draft.wrong}
        </p>
      )}
      <div className="composer-box">
        <AttachedFiles attachments={draft.attachments} onRemove={draft.remove} />
        <textarea
          ref={draft.field}
          rows={1}
          aria-label={WORDS.message}
          data-testid="composer-text"
          placeholder={blocked ?? placeholder}
          disabled={blocked !== undefined && !draft.isDue}
          // Who has sent something goes on to write here.
          readOnly={draft.isDue}
          value={draft.text}
          onChange={(event) => draft.setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={draft.onPaste}
        />
        <div className="composer-bar">
          <IconButton label={WORDS.attachFiles} onClick={draft.choose}>
            <Paperclip />
          </IconButton>
          <span className="composer-below">{children}</span>
          <SendOrStop
            busy={busy}
            stopping={stopping}
            empty={empty}
            blocked={blocked !== undefined}
            onStop={onStop}
          />
        </div>
      </div>
    </form>
  );
}

/** A composer that takes another's place has the caret where that one had it. */
function useSameCaret({ field, caret }: MessageDraft): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (caret.current) {
      element?.focus();
      element?.setSelectionRange(...caret.current);
    }
    return () => {
      const isHere = element && document.activeElement === element;
      caret.current = isHere ? [element.selectionStart, element.selectionEnd] : undefined;
    };
  }, [field, caret]);
}

type SendOrStopProps = Pick<ComposerProps, "busy" | "stopping" | "onStop"> & {
  empty: boolean;
  blocked: boolean;
};

/** While an answer is being written there is a stop; something that was written meanwhile can be queued. */
function SendOrStop({ busy, stopping, empty, blocked, onStop }: SendOrStopProps) {
  return (
    <>
      {busy && (
        <button
          type="button"
          className="composer-button composer-stop"
          data-testid="stop"
          aria-label={WORDS.stop}
          title={WORDS.stopEsc}
          disabled={stopping}
          onClick={onStop}
        >
          <Square aria-hidden />
        </button>
      )}
      {(!busy || !empty) && (
        <button
          type="submit"
          className="composer-button"
          data-testid="send"
          aria-label={busy ? WORDS.sendAfterAnswer : WORDS.send}
          title={busy ? WORDS.sendAfterAnswer : WORDS.sendEnter}
          disabled={empty || blocked}
        >
          <ArrowUp aria-hidden />
        </button>
      )}
    </>
  );
}

type AttachedFilesProps = { attachments: Attachment[]; onRemove: (place: number) => void };

function AttachedFiles({ attachments, onRemove }: AttachedFilesProps) {
  if (attachments.length === 0) return null;
  return (
    <ul className="composer-files">
      {attachments.map((attachment, place) => {
        const name = attachment.kind === "image" ? WORDS.picture(place + 1) : attachment.name;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
          <li key={place} className="composer-file" data-testid="attachment">
            {attachment.kind === "image" ? (
              <img src={attachment.url} alt={name} />
            ) : (
              <span className="attached-file">
                <FileText aria-hidden />
                {name}
              </span>
            )}
            <button type="button" aria-label={WORDS.remove(name)} onClick={() => onRemove(place)}>
              <X aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
