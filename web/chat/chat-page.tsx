import type { SignIn } from "@berth/server";
import { v7 } from "@langchain/core/utils/uuid";
import { BookOpen, Keyboard, LayoutDashboard, LogOut, MessageSquare, Plus } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { base, consoleAddress, recall, remember, signOut } from "../api/index.ts";
import { useSettled } from "../data/index.ts";
import {
  agoText,
  Drawer,
  IconButton,
  Palette,
  type PaletteEntry,
  SkipLink,
  ThemeMenu,
  useNow,
  useToast,
  useWide,
} from "../ui/index.ts";
import { ChatThread } from "./chat-thread.tsx";
import { useAssistants } from "./settings/index.ts";
import { ChatShortcuts, useShortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useThreadActions } from "./thread-actions.tsx";
import { useThreadPages, useThreads } from "./use-threads.ts";
import { WORDS } from "./words.tsx";
import "./chat-page.css";

/** The chat: the conversations on one side, the open one beside them. */
export function ChatPage({ signIn, onSignedOut }: { signIn: SignIn; onSignedOut: () => void }) {
  const { threadId, isDraft, newChat } = useThreadId();
  const [query, setQuery] = useState("");
  const [goneId, setGoneId] = useState<string>();
  const [overlay, setOverlay] = useState<"palette" | "shortcuts">();
  const sidebar = useSidebar();
  const threads = useThreads(query, (id) => id === threadId && setGoneId(id));
  const assistants = useAssistants();
  const { rename, askToDelete, dialog } = useThreadActions(threads, (id) => id === threadId && newChat());

  const startChat = useCallback(() => {
    newChat();
    sidebar.closeDrawer();
  }, [newChat, sidebar.closeDrawer]);
  useShortcuts({
    palette: () => setOverlay("palette"),
    newChat: startChat,
    sidebar: sidebar.toggle,
    shortcuts: () => setOverlay("shortcuts"),
  });

  const list = (
    <Sidebar
      threads={threads.threads}
      onMore={threads.loadMore}
      deployment={signIn.deployment}
      error={threads.error}
      currentId={threadId}
      query={query}
      onQuery={setQuery}
      onNewChat={startChat}
      onClose={sidebar.toggle}
      onOpen={sidebar.closeDrawer}
      onRename={rename}
      onDelete={askToDelete}
      footer={
        <SidebarFoot signIn={signIn} onSignedOut={onSignedOut} onShortcuts={() => setOverlay("shortcuts")} />
      }
    />
  );
  return (
    <div className="chat-page">
      <SkipLink to="conversation">{WORDS.skipToTheConversation}</SkipLink>
      {sidebar.isOpen && sidebar.isDrawer && (
        <Drawer label={WORDS.conversations} onClose={sidebar.closeDrawer}>
          {list}
        </Drawer>
      )}
      {sidebar.isOpen && !sidebar.isDrawer && <div className="chat-sidebar">{list}</div>}
      <ChatThread
        key={threadId}
        threadId={threadId}
        isDraft={isDraft}
        isGone={goneId === threadId}
        thread={threads.find(threadId)}
        assistants={assistants}
        onChanged={threads.refresh}
        onNewChat={startChat}
        onSignedOut={onSignedOut}
        tracesAt={signIn.has_console || signIn.deployment ? `${consoleAddress}/traces` : undefined}
        sidebarToggle={sidebar.isOpen ? undefined : sidebar.toggle}
      />
      {overlay === "palette" && <ChatPalette onNewChat={startChat} onClose={() => setOverlay(undefined)} />}
      {overlay === "shortcuts" && <ChatShortcuts onClose={() => setOverlay(undefined)} />}
      {dialog}
    </div>
  );
}

/**
 * The open conversation. A new one gets its id before its first message, so that nothing is remounted when the
 * address begins to name it.
 */
function useThreadId() {
  const [, navigate] = useLocation();
  const [, params] = useRoute<{ thread_id: string }>("/chat/:thread_id");
  const [draftId, setDraftId] = useState(() => v7());
  const newChat = useCallback(() => {
    setDraftId(v7());
    navigate("/");
  }, [navigate]);
  return { threadId: params?.thread_id ?? draftId, isDraft: !params, newChat };
}

/** Beside the conversation where there is room, and remembered; a drawer above it on a phone. */
function useSidebar() {
  const isWide = useWide();
  const [isShown, setShown] = useState(() => recall<boolean>("sidebar") ?? true);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const toggle = useCallback(() => {
    if (isWide) setShown((before) => !before);
    else setDrawerOpen((before) => !before);
  }, [isWide]);
  useEffect(() => remember("sidebar", isShown), [isShown]);
  const closeDrawer = useCallback(() => setDrawerOpen(false), []);
  return { isOpen: isWide ? isShown : isDrawerOpen, isDrawer: !isWide, toggle, closeDrawer };
}

const MOST_SHOWN = 12;
const PAUSE_MS = 120;

/** Finds a conversation by a few letters. */
function ChatPalette({ onNewChat, onClose }: { onNewChat: () => void; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const sought = useSettled(query, query === "" ? 0 : PAUSE_MS);
  const { rows: threads } = useThreadPages(sought);
  const now = useNow();
  const entries: PaletteEntry[] = [
    ...threads.slice(0, MOST_SHOWN).map(({ id, title, updatedAt }) => ({
      id,
      label: title,
      icon: <MessageSquare />,
      note: updatedAt ? agoText(updatedAt, now, { short: true }) : "",
      onSelect: () => navigate(`/chat/${id}`),
    })),
    { id: "new", label: WORDS.newChat, icon: <Plus />, note: "", onSelect: onNewChat },
  ];
  return (
    <Palette
      title={WORDS.searchConversations}
      listLabel={WORDS.conversations}
      query={query}
      onQuery={setQuery}
      entries={entries}
      onClose={onClose}
    />
  );
}

type SidebarFootProps = { signIn: SignIn; onSignedOut: () => void; onShortcuts: () => void };

/** What concerns the whole page rather than a conversation. */
function SidebarFoot({ signIn, onSignedOut, onShortcuts }: SidebarFootProps) {
  const toast = useToast();
  const leave = async () => {
    try {
      await signOut();
    } catch {
      toast({ text: WORDS.signingOutFailed, look: "negative" });
    }
    onSignedOut();
  };
  return (
    <>
      <ThemeMenu />
      <IconButton label={WORDS.keyboardShortcuts} keys="?" onClick={onShortcuts}>
        <Keyboard />
      </IconButton>
      <a
        className="icon-button"
        href={`${base}/docs`}
        aria-label={WORDS.apiReference}
        title={WORDS.apiReference}
      >
        <BookOpen />
      </a>
      {signIn.has_console && (
        <a
          className="icon-button"
          href={consoleAddress}
          aria-label={WORDS.console}
          title={WORDS.console}
          data-testid="to-console"
        >
          <LayoutDashboard />
        </a>
      )}
      <span className="chat-header-gap" />
      {signIn.required && (
        <IconButton label={WORDS.signOut} onClick={leave} data-testid="sign-out" align="end">
          <LogOut />
        </IconButton>
      )}
    </>
  );
}
