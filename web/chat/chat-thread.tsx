import type { Assistant, ThreadSummary } from "@berth/server";
import { Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { Button, Dialog, Failsafe, lazyScreen } from "../ui/index.ts";
import { ChatHeader } from "./chat-header.tsx";
import { DraftProvider, OpeningConversation } from "./composer/index.ts";
import {
  ContextForm,
  otherInput,
  rememberAssistant,
  useSchemas,
  useThreadSettings,
  whyNoSettings,
} from "./settings/index.ts";
import { WORDS } from "./words.tsx";

/** What follows a thread is half of the chat's code: one can write before it is there. */
const OpenedThread = lazyScreen(() => import("./opened-thread.tsx"), "OpenedThread");
const HistoryPanel = lazyScreen(() => import("./history/index.ts"), "HistoryPanel");

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
  /** Where the console shows traces, where there is one. */
  tracesAt: string | undefined;
  /** Opens the list of conversations, when it is closed. */
  sidebarToggle: (() => void) | undefined;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One conversation with its header and panels. Key it by the thread's id. */
export function ChatThread({ threadId, isDraft, thread, assistants, ...rest }: ChatThreadProps) {
  const { onChanged, onNewChat, onSignedOut, isGone, tracesAt, sidebarToggle } = rest;
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
  const inputSchema = useMemo(() => otherInput(schemas), [schemas]);
  // What the graph takes is not known before; until then one can write a message.
  useEffect(() => ask(), [ask]);
  const [other, setOther] = useState<Assistant>();
  const onAssistant = (assistantId: string) => {
    if (isDraft || !settings.assistantId) choose({ assistantId, context: {}, configurable: {} });
    else setOther(assistants?.find((one) => one.assistant_id === assistantId));
  };
  const onMissing = useCallback(() => setMissing(true), []);
  const onDeleted = useCallback(() => setDeleted(true), []);
  useEffect(() => {
    document.title = thread ? `${thread.title} · Berth` : WORDS.berth;
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
      title={thread?.title ?? WORDS.newChat}
      sidebarToggle={sidebarToggle}
      assistants={assistants}
      assistantId={settings.assistantId}
      onAssistant={onAssistant}
      areSettingsSet={Object.keys({ ...settings.context, ...settings.configurable }).length > 0}
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
  const panels = (
    <Suspense>
      {other && (
        <SwitchQuestion
          from={assistant}
          to={other}
          onStay={() => setOther(undefined)}
          onGoOn={() => {
            choose({ assistantId: other.assistant_id, context: {}, configurable: {} });
            setOther(undefined);
          }}
          onNewChat={() => {
            rememberAssistant(other.assistant_id);
            setOther(undefined);
            onNewChat();
          }}
        />
      )}
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
    </Suspense>
  );
  const opening = (
    <main className="chat-main" id="conversation" tabIndex={-1}>
      {header}
      <div className="chat-conversation">
        <OpeningConversation isDraft={isDraft} assistant={assistant} />
      </div>
    </main>
  );
  return (
    <Failsafe failed={(reason) => <main className="chat-main">{brokenNotice(reason)}</main>}>
      <DraftProvider name={isDraft ? "new" : threadId}>
        <Suspense fallback={opening}>
          <OpenedThread
            {...{ threadId, isDraft, assistant, settings, tracesAt, inputSchema, header, panels }}
            {...{ onMissing, onDeleted, onSignedOut }}
            onChanged={changed}
          />
        </Suspense>
      </DraftProvider>
    </Failsafe>
  );
}

type SwitchQuestionProps = {
  from: Assistant | undefined;
  to: Assistant;
  onStay: () => void;
  onGoOn: () => void;
  onNewChat: () => void;
};

/** Another assistant in a conversation that was held with one: its graph may not know what to do with the state. */
function SwitchQuestion({ from, to, onStay, onGoOn, onNewChat }: SwitchQuestionProps) {
  return (
    <Dialog
      title={WORDS.askNewChatWith(to.name)}
      onClose={onStay}
      testId="switch-assistant"
      actions={
        <>
          <Button onClick={onStay}>{WORDS.stayHere}</Button>
          {from?.graph_id === to.graph_id && (
            <Button onClick={onGoOn} data-testid="switch-here">
              {WORDS.useItHere}
            </Button>
          )}
          <Button look="primary" onClick={onNewChat} data-testid="switch-new" autoFocus>
            {WORDS.newChat}
          </Button>
        </>
      }
    >
      <p>{WORDS.conversationBelongsTo(from?.name ?? WORDS.anotherAssistant)}</p>
    </Dialog>
  );
}

type NoticeProps = { icon: ReactNode; title: string; text: string; children: ReactNode; testId: string };

/** Stands where a conversation would be. */
function Notice({ icon, title, text, children, testId }: NoticeProps) {
  return (
    <div className="gone" role="alert" data-testid={testId}>
      {icon}
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}

const brokenNotice = (reason: string) => (
  <Notice icon={<TriangleAlert />} title={WORDS.conversationNotShown} text={reason} testId="thread-broken">
    <Button look="primary" onClick={() => window.location.reload()}>
      {WORDS.reloadThePage}
    </Button>
  </Notice>
);

/** Stands in for a conversation that is not there. */
function GoneNotice({ wasDeleted, onNewChat }: { wasDeleted: boolean; onNewChat: () => void }) {
  return (
    <Notice
      icon={<Trash2 />}
      title={wasDeleted ? WORDS.conversationDeleted : WORDS.conversationNotFound}
      text={wasDeleted ? WORDS.deletedElsewhere : WORDS.deletedOrWrongAddress}
      testId="thread-gone"
    >
      <Button look="primary" onClick={onNewChat}>
        {WORDS.startANewChat}
      </Button>
    </Notice>
  );
}
