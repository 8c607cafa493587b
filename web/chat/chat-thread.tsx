import type { Assistant, ThreadSummary } from "@berth/server";
import { GitBranch, Trash2 } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { Button, ConnectionBanner } from "../ui/index.ts";
import { ChatHeader } from "./chat-header.tsx";
import { Conversation } from "./conversation/index.ts";
import { HistoryPanel } from "./history/index.ts";
import { ThreadSession } from "./session.tsx";
import { useSession } from "./session-context.ts";
import { ContextForm, useSchemas, useThreadSettings, whyNoSettings } from "./settings/index.ts";

type ChatThreadProps = {
  threadId: string;
  isDraft: boolean;
  /** It was deleted in another tab. */
  isGone: boolean;
  thread: ThreadSummary | undefined;
  assistants: readonly Assistant[] | undefined;
  onChanged: () => void;
  onNewChat: () => void;
  onSignedOut: () => void;
  /** Opens the list of conversations, when it is closed. */
  sidebarToggle: (() => void) | undefined;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One conversation with its header and panels. Key it by the thread's id. */
export function ChatThread({ threadId, isDraft, thread, assistants, ...rest }: ChatThreadProps) {
  const { onChanged, onNewChat, onSignedOut, isGone, sidebarToggle } = rest;
  const [, navigate] = useLocation();
  // An address may name a checkpoint: that is where the history opens.
  const [address] = useSearchParams();
  const checkpointId = address.get("checkpoint") || undefined;
  const [panel, setPanel] = useState<"history" | "settings" | undefined>(
    checkpointId === undefined ? undefined : "history",
  );
  const [isMissing, setMissing] = useState(!UUID.test(threadId));
  const [isDeleted, setDeleted] = useState(false);
  const { assistant, settings, choose } = useThreadSettings(threadId, isDraft, thread, assistants);
  const { schemas, ask } = useSchemas(assistant?.assistant_id);
  const onMissing = useCallback(() => setMissing(true), []);
  const onDeleted = useCallback(() => setDeleted(true), []);
  useEffect(() => {
    document.title = thread ? `${thread.title} · Berth` : "Berth";
  }, [thread]);

  const changed = () => {
    if (isDraft) {
      navigate(`/chat/${threadId}`, { replace: true });
      if (assistant) choose({ assistantId: assistant.assistant_id });
    }
    onChanged();
  };
  const header = (
    <ChatHeader
      title={thread?.title ?? "New chat"}
      sidebarToggle={sidebarToggle}
      assistants={assistants}
      assistantId={settings.assistantId}
      onAssistant={(assistantId) => choose({ assistantId, context: {}, configurable: {} })}
      isHistoryOpen={panel === "history"}
      onHistory={() => setPanel(panel === "history" ? undefined : "history")}
      noSettings={whyNoSettings(schemas)}
      onNearSettings={ask}
      onSettings={() => {
        ask();
        setPanel("settings");
      }}
    />
  );
  if (isGone || isDeleted || isMissing)
    return (
      <main className="chat-main" id="conversation">
        {header}
        <GoneNotice wasDeleted={!isMissing} onNewChat={onNewChat} />
      </main>
    );
  return (
    <ThreadSession
      threadId={threadId}
      isDraft={isDraft}
      assistant={assistant}
      settings={settings}
      onChanged={changed}
      onMissing={onMissing}
    >
      <main className="chat-main" id="conversation" tabIndex={-1}>
        {header}
        <ChatBanner onDeleted={onDeleted} onSignedOut={onSignedOut} />
        <div className="chat-conversation">
          <Conversation />
        </div>
        <ForkNote />
      </main>
      {panel === "history" && (
        <div className="chat-panel">
          <HistoryPanel checkpointId={checkpointId} onClose={() => setPanel(undefined)} />
        </div>
      )}
      {panel === "settings" && assistant && (
        <ContextForm
          assistant={assistant}
          schemas={schemas}
          context={settings.context}
          configurable={settings.configurable}
          onSave={choose}
          onClose={() => setPanel(undefined)}
        />
      )}
    </ThreadSession>
  );
}

type ChatBannerProps = { onDeleted: () => void; onSignedOut: () => void };

/** Says when the conversation's live connection is gone; leaves where it will not come back. */
function ChatBanner({ onDeleted, onSignedOut }: ChatBannerProps) {
  const { connection } = useSession();
  const { state } = connection;
  useEffect(() => {
    if (state === "deleted") onDeleted();
    if (state === "signed-out") onSignedOut();
  }, [state, onDeleted, onSignedOut]);
  const lostSince = connection.state === "reconnecting" ? connection.since : undefined;
  return <ConnectionBanner lostSince={lostSince} comfort="Nothing is lost" />;
}

/** Says that the next message branches off from an earlier checkpoint, and takes it back. */
function ForkNote() {
  const { fork, setFork } = useSession();
  if (!fork) return null;
  return (
    <div className="fork-note" role="status" data-testid="fork-note">
      <GitBranch />
      <span>
        Your next message branches off from checkpoint <code>{fork.slice(-12)}</code>.
      </span>
      <Button size="small" look="quiet" onClick={() => setFork(undefined)}>
        Cancel
      </Button>
    </div>
  );
}

/** Stands in for a conversation that is not there. */
function GoneNotice({ wasDeleted, onNewChat }: { wasDeleted: boolean; onNewChat: () => void }) {
  return (
    <div className="gone" role="alert" data-testid="thread-gone">
      <Trash2 />
      <h1>{wasDeleted ? "This conversation was deleted" : "There is no such conversation"}</h1>
      <p>
        {wasDeleted
          ? "It was removed in another tab or by another person."
          : "It may have been deleted, or the address is not quite right."}
      </p>
      <Button look="primary" onClick={onNewChat}>
        Start a new chat
      </Button>
    </div>
  );
}
