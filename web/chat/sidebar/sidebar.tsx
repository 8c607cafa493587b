import type { ThreadSummary } from "@berth/server";
import { PanelLeftClose, Plus, Search } from "lucide-react";
import { useId } from "react";
import { Button, IconButton, Logo, TextField, useNow } from "../../ui/index.ts";
import { ageOf } from "./age.ts";
import { ThreadItem, type ThreadItemActions } from "./thread-item.tsx";
import "./sidebar.css";

type SidebarProps = ThreadItemActions & {
  threads: readonly ThreadSummary[] | undefined;
  error: string | undefined;
  currentId: string;
  query: string;
  onQuery: (query: string) => void;
  onNewChat: () => void;
  onClose: () => void;
  footer: React.ReactNode;
};

/** The conversations: to find, open, rename and delete. */
export function Sidebar({
  threads,
  error,
  query,
  onQuery,
  onNewChat,
  onClose,
  footer,
  ...rest
}: SidebarProps) {
  return (
    <nav className="sidebar" aria-label="Conversations" data-testid="sidebar">
      <div className="sidebar-head">
        <Logo size={26} />
        <span className="sidebar-name">Berth</span>
        <IconButton label="Hide conversations" onClick={onClose} data-testid="close-sidebar">
          <PanelLeftClose />
        </IconButton>
      </div>
      <div className="sidebar-tools">
        <Button icon={<Plus />} onClick={onNewChat} data-testid="new-chat" className="sidebar-new">
          New chat
        </Button>
        <TextField
          label="Search conversations"
          hideLabel
          type="search"
          placeholder="Search"
          icon={<Search />}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          data-testid="thread-search"
        />
      </div>
      <div className="sidebar-list">
        {error && !threads && <p className="sidebar-empty">The list could not be read: {error}</p>}
        {threads && <Groups threads={threads} {...rest} />}
        {threads?.length === 0 && (
          <p className="sidebar-empty">
            {query ? `Nothing is called “${query}”.` : "Your conversations will be here."}
          </p>
        )}
      </div>
      <div className="sidebar-foot">{footer}</div>
    </nav>
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
