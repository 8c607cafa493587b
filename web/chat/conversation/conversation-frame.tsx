import { useStreamContext } from "@langchain/react";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button, useToast } from "../../ui/index.ts";
import {
  type Attachment,
  Composer,
  ConversationLayout,
  contentOf,
  EmptyState,
  type MessageDraft,
  useDraft,
} from "../composer/index.ts";
import { useSession } from "../session-context.ts";
import { type Entry, entriesOf } from "./content.ts";
import { useConversation } from "./conversation-context.ts";
import { InputForm } from "./input-form.tsx";
import { readAnswer, useAnswering } from "./interrupts/index.ts";
import { sumUsage, UsageText } from "./messages/index.ts";
import { OpenSubagent } from "./open-subagent.tsx";
import { QueuedMessages, Thread } from "./thread.tsx";
import type { ShownConversation, StreamedState } from "./timeline/index.ts";
import { TodoList } from "./tools/index.ts";
import { WORDS } from "./words.tsx";
import "./conversation.css";
import { reasonOf } from "../../api/index.ts";

type FrameProps = {
  shown: ShownConversation;
  path: string[];
  onGo: (path: string[]) => void;
  onSend: (text: string, attachments: Attachment[]) => void;
  /** Of a graph that takes no messages. */
  onRun: (input: unknown) => void;
  onRetry: (unsent: boolean) => void;
};

/** The messages, and the foot that stays: the plan, the way to the end, the composer. */
export function ConversationFrame({ shown, path, onGo, onSend, onRun, onRetry }: FrameProps) {
  const draft = useDraft();
  const { assistant } = useSession();
  const end = useEnd();
  const { ui, waiting } = useConversation();
  const { isThreadLoading } = useStreamContext<StreamedState>();
  const entries = useMemo(() => entriesOf(shown.messages, ui), [shown.messages, ui]);
  const isEmpty = useIsEmpty(entries, shown.timeline.isRead);
  const { answerInWords, isWords } = useWords(draft);
  const send = () => {
    if (isWords) answerInWords();
    else onSend(draft.text.trim(), draft.attachments);
    draft.clear();
    if (path.length > 0) onGo([]);
    end.toEnd();
  };
  const blocked = waiting && !isWords;
  useDueMessage(draft, { isReady: !isThreadLoading, isRefused: blocked, send });
  const onBack = path.length > 0 ? () => onGo(path.slice(0, -1)) : undefined;
  const foot = (
    <>
      {!isEmpty && path.length === 0 && shown.snapshot && <TodoList todos={shown.snapshot.todos} />}
      <QueuedMessages />
      <Foot
        isWords={isWords}
        blocked={blocked ? WORDS.answerAbove : undefined}
        shown={shown}
        onSend={isThreadLoading ? () => draft.setDue(true) : send}
        onRun={onRun}
        onBack={onBack}
      />
    </>
  );
  return (
    <ConversationLayout
      frame={end.frame}
      content={end.content}
      above={end.away && <JumpToEnd onJump={end.toEnd} />}
      foot={foot}
    >
      {path.length > 0 ? (
        <OpenSubagent path={path} messages={shown.messages} onGo={(depth) => onGo(path.slice(0, depth))} />
      ) : isEmpty ? (
        <EmptyState assistant={assistant} />
      ) : (
        <Thread entries={entries} shown={shown} onRetry={onRetry} />
      )}
    </ConversationLayout>
  );
}

type DueMessage = {
  /** It is known what was said before: the SDK drops what is sent earlier and fails, without a word. */
  isReady: boolean;
  /** Now that it is known, something else has to be done first; the message stays a draft. */
  isRefused: boolean;
  send: () => void;
};

/** Sends what was sent before the conversation was there. */
function useDueMessage({ isDue, setDue }: MessageDraft, { isReady, isRefused, send }: DueMessage): void {
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    if (!isDue || !isReady) return;
    if (isRefused) setDue(false);
    // Behind the effects of those around it, with which the stream begins.
    else queueMicrotask(() => latest.current());
  }, [isDue, isReady, isRefused, setDue]);
}

/** While the agent asks for words, what is written for it is the answer. It comes back where it could not be sent. */
function useWords(draft: MessageDraft) {
  const toast = useToast();
  const { answer, inWords } = useAnswering();
  const answerInWords = async () => {
    const { text, attachments } = draft;
    const value = attachments.length > 0 ? contentOf(text.trim(), attachments) : readAnswer(text.trim());
    try {
      if (inWords) await answer({ [inWords]: value });
    } catch (error) {
      const reason = reasonOf(error);
      toast({ text: WORDS.answerNotSent(reason), look: "negative" });
      draft.setText(text);
    }
  };
  return { answerInWords, isWords: inWords !== undefined };
}

function JumpToEnd({ onJump }: { onJump: () => void }) {
  return (
    <div className="to-end-place">
      <Button className="to-end" size="small" icon={<ArrowDown />} onClick={onJump}>
        {WORDS.jumpToTheEnd}
      </Button>
    </div>
  );
}

function useIsEmpty(entries: Entry[], isRead: boolean): boolean {
  const { isThreadLoading, values } = useStreamContext<StreamedState>();
  const { inputSchema } = useSession();
  const { busy, waiting } = useConversation();
  const hasState = inputSchema !== undefined && Object.keys(values ?? {}).length > 0;
  return entries.length === 0 && !hasState && !busy && !waiting && !isThreadLoading && isRead;
}

type FootProps = {
  /** What is written is the answer to a question. */
  isWords: boolean;
  /** Why no message can be sent now. */
  blocked: string | undefined;
  shown: ShownConversation;
  onSend: () => void;
  onRun: (input: unknown) => void;
  onBack: (() => void) | undefined;
};

function Foot({ isWords, blocked, shown, onSend, onRun, onBack }: FootProps) {
  const { busy } = useConversation();
  const { stopping, stop } = useStop(busy);
  const usage = useMemo(() => sumUsage(shown.messages), [shown.messages]);
  useEscape(onBack ?? (busy ? stop : undefined));
  const { inputSchema } = useSession();
  if (inputSchema && !isWords)
    return <InputForm schema={inputSchema} {...{ busy, stopping, onRun }} onStop={stop} />;
  return (
    <Composer
      busy={busy}
      stopping={stopping}
      placeholder={isWords ? WORDS.answerTheAgent : onBack ? WORDS.writeToTheMain : WORDS.writeAMessage}
      blocked={blocked}
      onSend={onSend}
      onStop={stop}
      onRecall={recallLast}
    >
      <UsageText usage={usage} label={WORDS.thisConversation} />
    </Composer>
  );
}

/** Stops the run; until it has ended, the button rests. */
function useStop(busy: boolean) {
  const session = useSession();
  const [stopping, setStopping] = useState(false);
  useEffect(() => {
    if (!busy) setStopping(false);
  }, [busy]);
  const stop = () => {
    setStopping(true);
    session.stop().catch(() => setStopping(false));
  };
  return { stopping, stop };
}

/** Opens the last message of the reader for editing, as its own button does. */
function recallLast(): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>("[data-testid=edit-message]");
  buttons[buttons.length - 1]?.click();
}

/** Esc does what is next: it leaves a subagent, or stops the run. Whatever lies above the page takes it first. */
function useEscape(onEscape: (() => void) | undefined): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      latest.current?.();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** So close to the end, a reader is at the end. */
const NEAR = 64;

/** Keeps a scrolling element at its end while it grows, until the reader scrolls up. */
function useEnd() {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const stuck = useRef(true);

  const toEnd = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    stuck.current = true;
    setAway(false);
    element.scrollTop = element.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    const element = frame.current;
    const inner = content.current;
    if (!element || !inner) return;
    const watcher = new ResizeObserver(() => {
      // What has become shorter may end in sight without a scroll.
      if (element.scrollHeight - element.clientHeight - element.scrollTop <= NEAR) {
        stuck.current = true;
        setAway(false);
      }
      if (stuck.current) element.scrollTop = element.scrollHeight;
    });
    watcher.observe(inner);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let last = element.scrollTop;
    const onScroll = () => {
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      const up = element.scrollTop < last - 1;
      last = element.scrollTop;
      if (left <= NEAR) stuck.current = true;
      // Content that shrinks scrolls up too, but then the end is in sight.
      else if (up) stuck.current = false;
      setAway(!stuck.current);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);

  return { frame, content, away, toEnd };
}
