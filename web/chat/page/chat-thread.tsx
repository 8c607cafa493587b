import type { Assistant, ThreadSummary } from "@berth/server";
import { useCallback, useEffect, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { Conversation } from "../conversation/index.ts";
import { HistoryPanel } from "../history/index.ts";
import { ThreadSession } from "../session.tsx";
import { ContextForm, useSchemas, useThreadSettings, whyNoSettings } from "../settings/index.ts";
import { ChatHeader } from "./chat-header.tsx";
import { ChatBanner, ForkNote, GoneNotice } from "./notices.tsx";

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
