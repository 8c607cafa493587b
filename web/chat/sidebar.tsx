import type { ThreadSummary } from "@berth/server";
import { Ellipsis, PanelLeftClose, Pencil, Plus, Search, Trash2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { Ago, Button, classes, IconButton, Logo, Menu, TextField, useNow } from "../ui/index.ts";
import { WORDS } from "./words.tsx";
import "./sidebar.css";

type SidebarProps = ThreadItemActions & {
  threads: readonly ThreadSummary[] | undefined;
  /** Reads further down; nothing where that is all. */
  onMore: (() => void) | undefined;
  error: string | undefined;
  currentId: string;
  /** The deployment whose conversations these are, if they are of one. */
  deployment: string | undefined;
  query: string;
  onQuery: (query: string) => void;
  onNewChat: () => void;
  onClose: () => void;
  footer: React.ReactNode;
};

/** The conversations: to find, open, rename and delete. */
export function Sidebar({
  threads,
  onMore,
  error,
  deployment,
  query,
  onQuery,
  onNewChat,
  onClose,
  footer,
  ...rest
}: SidebarProps) {
  return (
    <nav className="sidebar" aria-label={WORDS.conversations} data-testid="sidebar">
      <div className="sidebar-head">
        <Logo size={26} />
        <span className="sidebar-name" data-testid="deployment-name" title={deployment}>
          {deployment ?? WORDS.berth}
        </span>
        <IconButton label={WORDS.hideConversations} onClick={onClose} data-testid="close-sidebar">
          <PanelLeftClose />
        </IconButton>
      </div>
      <div className="sidebar-tools">
        <Button icon={<Plus />} onClick={onNewChat} data-testid="new-chat" className="sidebar-new">
          {WORDS.newChat}
        </Button>
        <TextField
          label={WORDS.searchConversations}
          hideLabel
          type="search"
          placeholder={WORDS.search}
          icon={<Search />}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          data-testid="thread-search"
        />
      </div>
      <div className="sidebar-list">
        <ThreadList {...{ threads, onMore, error, query }} {...rest} />
      </div>
      <div className="sidebar-foot">{footer}</div>
    </nav>
  );
}

type ThreadListProps = Omit<GroupsProps, "threads"> &
  Pick<SidebarProps, "threads" | "onMore" | "error" | "query">;

function ThreadList({ threads, onMore, error, query, ...rest }: ThreadListProps) {
  return (
    <>
      {error && !threads && <p className="sidebar-empty">{WORDS.listNotLoaded(error)}</p>}
      {threads && <Groups threads={threads} {...rest} />}
      {onMore && <More key={threads?.length} onMore={onMore} />}
      {threads?.length === 0 && (
        <p className="sidebar-empty">
          {query ? WORDS.noConversationsMatch(query) : WORDS.yourConversationsAppearHere}
        </p>
      )}
    </>
  );
}

/** Reads on when it comes into sight; a button for who does not scroll. */
function More({ onMore }: { onMore: () => void }) {
  const place = useRef<HTMLButtonElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const button = place.current;
    if (!button) return;
    const watcher = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && latest.current(),
      { rootMargin: "200px 0px" },
    );
    watcher.observe(button);
    return () => watcher.disconnect();
  }, []);
  return (
    <button ref={place} type="button" className="sidebar-more" data-testid="more-threads" onClick={onMore}>
      {WORDS.showMore}
    </button>
  );
}

type GroupsProps = ThreadItemActions & { threads: readonly ThreadSummary[]; currentId: string };

function Groups({ threads, currentId, ...actions }: GroupsProps) {
  const now = useNow();
  const id = useId();
  return [...Map.groupBy(threads, ({ updatedAt }) => ageOf(updatedAt, now))].map(([age, members]) => (
    <section key={age} aria-labelledby={`${id}-${age}`}>
      <h2 id={`${id}-${age}`} className="sidebar-age">
        {age}
      </h2>
      <ul>
        {members.map((thread) => (
          <ThreadItem key={thread.id} thread={thread} isCurrent={thread.id === currentId} {...actions} />
        ))}
      </ul>
    </section>
  ));
}

type ThreadItemActions = {
  onRename: (thread: ThreadSummary, title: string) => void;
  onDelete: (thread: ThreadSummary) => void;
  /** A conversation was opened; a drawer closes then. */
  onOpen: () => void;
};

type ThreadItemProps = ThreadItemActions & { thread: ThreadSummary; isCurrent: boolean };

const STATUS_WORDS = {
  busy: WORDS.running,
  interrupted: WORDS.needsYourAnswer,
  error: WORDS.failed,
  idle: undefined,
};

/** What the dot before a title says. A run that somebody stopped wants nothing of anybody. */
function statusOf({ status, waiting }: ThreadSummary): string | undefined {
  return status === "interrupted" && waiting === false ? undefined : STATUS_WORDS[status];
}

/** One conversation in the list. */
function ThreadItem({ thread, isCurrent, onRename, onDelete, onOpen }: ThreadItemProps) {
  const [isRenaming, setRenaming] = useState(false);
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
      <ThreadLink thread={thread} isCurrent={isCurrent} onOpen={onOpen} />
      <Menu
        label={WORDS.actionsFor(thread.title)}
        size="small"
        icon={<Ellipsis />}
        testId="thread-menu"
        items={[
          { label: WORDS.rename, icon: <Pencil />, testId: "rename", onSelect: () => setRenaming(true) },
          {
            label: WORDS.delete,
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

function ThreadLink({ thread, isCurrent, onOpen }: Omit<ThreadItemProps, "onRename" | "onDelete">) {
  const status = statusOf(thread);
  return (
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
      aria-label={WORDS.titleOfTheConversation}
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

/** The heading under which a conversation of that time stands in a list. */
export function ageOf(time: string | null, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const at = time === null ? now : new Date(time).getTime();
  // Just after midnight "2 min" would look odd under "Yesterday".
  if (at >= today || now - at < 3_600_000) return WORDS.today;
  if (at >= today - 86_400_000) return WORDS.yesterday;
  if (at >= today - 7 * 86_400_000) return WORDS.previous7Days;
  return WORDS.older;
}
