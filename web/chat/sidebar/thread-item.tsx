import type { ThreadSummary } from "@berth/server";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Link } from "wouter";
import { Ago, classes, Menu } from "../../ui/index.ts";

export type ThreadItemActions = {
  onRename: (thread: ThreadSummary, title: string) => void;
  onDelete: (thread: ThreadSummary) => void;
  /** A conversation was opened; a drawer closes then. */
  onOpen: () => void;
};

type ThreadItemProps = ThreadItemActions & { thread: ThreadSummary; isCurrent: boolean };

const STATUS_WORDS = { busy: "Running", interrupted: "Needs your answer", error: "Failed", idle: undefined };

/** What the dot before a title says. A run that somebody stopped wants nothing of anybody. */
function statusOf({ status, waiting }: ThreadSummary): string | undefined {
  return status === "interrupted" && waiting === false ? undefined : STATUS_WORDS[status];
}

/** One conversation in the list. */
export function ThreadItem({ thread, isCurrent, onRename, onDelete, onOpen }: ThreadItemProps) {
  const [isRenaming, setRenaming] = useState(false);
  const status = statusOf(thread);
  if (isRenaming) {
    const finish = (title: string | undefined) => {
      setRenaming(false);
      if (title && title !== thread.title) onRename(thread, title);
    };
    return (
      <li className="thread-item" data-testid="thread-item">
        <TitleEditor title={thread.title} onDone={finish} />
      </li>
    );
  }
  return (
    <li
      className={classes("thread-item", isCurrent && "thread-item-current")}
      data-testid="thread-item"
      data-thread-id={thread.id}
      data-status={thread.status}
    >
      <Link
        href={`/chat/${thread.id}`}
        className="thread-link"
        aria-current={isCurrent ? "page" : undefined}
        onClick={onOpen}
        title={thread.title}
      >
        {status && (
          <span className={`thread-dot thread-dot-${thread.status}`} title={status}>
            <span className="visually-hidden">{status}: </span>
          </span>
        )}
        <span className="thread-title" data-testid="thread-title">
          {thread.title}
        </span>
        {thread.updatedAt && <Ago at={thread.updatedAt} className="thread-time" short />}
      </Link>
      <Menu
        label={`Actions for ${thread.title}`}
        size="small"
        icon={<Ellipsis />}
        testId="thread-menu"
        items={[
          { label: "Rename", icon: <Pencil />, testId: "rename", onSelect: () => setRenaming(true) },
          {
            label: "Delete",
            icon: <Trash2 />,
            look: "danger",
            testId: "delete",
            onSelect: () => onDelete(thread),
          },
        ]}
      />
    </li>
  );
}

/** Enter and leaving keep the new title, Esc the old one. */
function TitleEditor({ title, onDone }: { title: string; onDone: (title: string | undefined) => void }) {
  const [text, setText] = useState(title);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter") onDone(text.trim());
    if (event.key === "Escape") onDone(undefined);
  };
  return (
    <input
      className="thread-rename"
      aria-label="Title of the conversation"
      data-testid="rename-input"
      maxLength={200}
      value={text}
      ref={(input) => input?.focus()}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onDone(text.trim())}
    />
  );
}
