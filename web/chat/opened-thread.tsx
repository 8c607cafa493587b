import type { Assistant } from "@berth/server";
import { STREAM_CONTROLLER, StreamProvider, useStreamContext } from "@langchain/react";
import { GitBranch } from "lucide-react";
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { reasonOf } from "../api/index.ts";
import { cancelRun, useSource } from "../source/index.ts";
import { type LastRun, type OpenThread, openRuns, openThread, type RunSettings } from "../thread/index.ts";
import { Button, ConnectionBanner, useToast } from "../ui/index.ts";
import { Conversation } from "./conversation/index.ts";
import { SessionContext, useSession } from "./session-context.ts";
import { WORDS } from "./words.tsx";

type ThreadSessionProps = {
  threadId: string;
  /** Nobody has written anything in it yet. */
  isDraft: boolean;
  assistant: Assistant | undefined;
  settings: RunSettings;
  tracesAt: string | undefined;
  inputSchema: Record<string, unknown> | undefined;
  /** A run has begun or ended, here or in another tab. */
  onChanged: () => void;
  onMissing: () => void;
  children: ReactNode;
};

type OpenedThreadProps = Omit<ThreadSessionProps, "children"> & {
  header: ReactNode;
  /** What is beside the conversation, or above it. */
  panels: ReactNode;
  onDeleted: () => void;
  onSignedOut: () => void;
};

/** A conversation whose thread is followed. Key it by the thread's id. */
export function OpenedThread({ header, panels, onDeleted, onSignedOut, ...session }: OpenedThreadProps) {
  return (
    <ThreadSession {...session}>
      <main className="chat-main" id="conversation" tabIndex={-1}>
        {header}
        <ServerNote />
        <ChatBanner onDeleted={onDeleted} onSignedOut={onSignedOut} />
        <div className="chat-conversation">
          <Conversation />
        </div>
        <ForkNote />
      </main>
      {panels}
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
  return <ConnectionBanner lostSince={lostSince} comfort={WORDS.nothingIsLost} />;
}

/** Says what the chat cannot do with this server, where that is something. */
function ServerNote() {
  const { lacks } = useSource();
  if (!lacks) return null;
  return (
    <p className="server-note" data-testid="server-note">
      {lacks}
    </p>
  );
}

/** Says that the next message branches off from an earlier checkpoint, and takes it back. */
function ForkNote() {
  const { fork, setFork } = useSession();
  if (!fork) return null;
  return (
    <div className="fork-note" role="status" data-testid="fork-note">
      <GitBranch />
      <span>{WORDS.branchingOffFrom(<code>{fork.slice(-12)}</code>)}</span>
      <Button size="small" look="quiet" onClick={() => setFork(undefined)}>
        {WORDS.cancel}
      </Button>
    </div>
  );
}

/** Opens one thread, and shares its stream and its session with everything inside. */
function ThreadSession({ threadId, children, ...rest }: ThreadSessionProps) {
  const latest = useRef(rest);
  latest.current = rest;
  const source = useSource();
  const [open] = useState(() =>
    (source.isLive ? openThread : openRuns)({
      threadId,
      settings: () => latest.current.settings,
      isDraft: () => latest.current.isDraft,
      onMissing: () => latest.current.onMissing(),
    }),
  );
  useConnected(open);
  return (
    <StreamProvider transport={open.adapter} threadId={threadId} onCreated={() => latest.current.onChanged()}>
      <SharedSession threadId={threadId} open={open} {...rest}>
        {children}
      </SharedSession>
    </StreamProvider>
  );
}

/** Keeps the connection for as long as the thread is shown, and wakes it when the network or the reader is back. */
function useConnected({ feed }: OpenThread): void {
  useEffect(() => {
    feed.start();
    const wake = () => document.visibilityState === "visible" && feed.wake();
    window.addEventListener("online", wake);
    document.addEventListener("visibilitychange", wake);
    return () => {
      window.removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", wake);
      feed.stop();
    };
  }, [feed]);
}

type SharedSessionProps = ThreadSessionProps & { open: OpenThread };

function SharedSession({
  threadId,
  isDraft,
  assistant,
  tracesAt,
  inputSchema,
  onChanged,
  open: { feed },
  children,
}: SharedSessionProps) {
  const connection = useSyncExternalStore(feed.observe, () => feed.connection);
  const { lastRun, revision } = useRuns(feed, onChanged);
  const [fork, setFork] = useState<string>();
  useAnswersElsewhere(feed);
  const stream = useStreamContext();
  const source = useSource();
  const toast = useToast();
  const stop = useCallback(async () => {
    const running = feed.log.lastRun?.status === "running" ? feed.log.lastRun : undefined;
    try {
      if (running) await cancelRun(source, threadId, running.runId);
      await stream.stop({ cancel: !running });
    } catch (error) {
      const reason = reasonOf(error);
      toast({ text: WORDS.stoppingFailed(reason), look: "negative" });
    }
  }, [feed, stream, source, threadId, toast]);
  const session = useMemo(
    () => ({
      ...{ threadId, isDraft, assistant, tracesAt, inputSchema },
      ...{ connection, lastRun, revision, stop, fork, setFork },
    }),
    [threadId, isDraft, assistant, tracesAt, inputSchema, connection, lastRun, revision, stop, fork],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The newest run as the connection knows it, and a number that grows whenever a run begins or ends. */
function useRuns(feed: OpenThread["feed"], onChanged: () => void) {
  const changed = useRef(onChanged);
  changed.current = onChanged;
  const [revision, setRevision] = useState(0);
  const subscribe = useCallback(
    (update: () => void) => {
      const stops = [feed.listen(update), feed.observe(update)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [feed],
  );
  const lastRun = useSyncExternalStore(subscribe, () => feed.log.lastRun);
  const isKnown = useSyncExternalStore(feed.observe, () => feed.connection.state !== "connecting");
  const seen = useRef<LastRun | undefined | "unknown">("unknown");
  useEffect(() => {
    if (!isKnown) return;
    const before = seen.current;
    seen.current = lastRun;
    // What is learned with the connection was so before.
    if (before === lastRun || before === "unknown") return;
    setRevision((before) => before + 1);
    changed.current();
  }, [lastRun, isKnown]);
  return { lastRun, revision };
}

/** The SDK keeps a question on the screen that was answered in another tab; this takes it away. */
function useAnswersElsewhere(feed: OpenThread["feed"]): void {
  const { rootStore } = useStreamContext()[STREAM_CONTROLLER];
  useEffect(
    () =>
      feed.listen(({ method, namespace, data }) => {
        const isOver = method === "lifecycle" && namespace.length === 0 && data.event === "completed";
        const answered = method === "input.answered" ? data.interrupt_ids : undefined;
        const ids = new Set(Array.isArray(answered) ? answered : []);
        if (!isOver && ids.size === 0) return;
        rootStore.setState((state) => {
          const interrupts = state.interrupts.filter(({ id }) => !isOver && !ids.has(id));
          return { ...state, interrupts, interrupt: interrupts[0] };
        });
      }),
    [feed, rootStore],
  );
}
