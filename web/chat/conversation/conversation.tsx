import { type AnyStream, STREAM_CONTROLLER, useStreamContext } from "@langchain/react";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { placedUi } from "./content.ts";
import { ConversationContext, type Conversation as Shared } from "./conversation-context.ts";
import { ConversationFrame } from "./conversation-frame.tsx";
import { declinedCalls, withoutWaiting } from "./interrupts/index.ts";
import { type StreamedState, useQuestions, useShown } from "./timeline/index.ts";
import { useActions } from "./use-actions.ts";
import { useScores } from "./use-scores.ts";

/** The inside of the chat: the messages of the open thread, and where the next one is written. */
export function Conversation() {
  const { isLoading, interrupts, subagents } = useStreamContext<StreamedState>();
  const handle = useHandle();
  const shown = useShown(handle);
  const { send, run, edit, regenerate, runAgain, retry, act } = useActions(shown);
  const { scores, runOf, rate } = useScores(shown.origins);
  const { path, go } = useSubagentPath();
  const { view, forks, choose, messages } = shown;
  const questions = useQuestions(shown.timeline, shown.snapshot);
  const asked = useMemo(() => {
    const declined = declinedCalls(questions, messages);
    return { questions, declined, timings: withoutWaiting(shown.timings, questions, messages) };
  }, [questions, messages, shown.timings]);
  const isHead = view.chosen === undefined;
  const busy = isLoading && isHead;
  const waiting = isHead && !busy && interrupts.length > 0;
  const ui = useMemo(() => {
    return placedUi(shown.ui, shown.messages, { busy, runOf });
  }, [shown.ui, shown.messages, runOf, busy]);
  const about = useMemo(
    () => ({ stream: handle, subagents, busy, waiting, ...asked, forks, scores, ui }),
    [handle, subagents, busy, waiting, asked, forks, scores, ui],
  );
  const shared = useMemo<Shared>(() => {
    const openSubagent = (callId: string) => go([...path, callId]);
    return { ...about, runOf, rate, choose, edit, regenerate, runAgain, act, openSubagent };
  }, [about, runOf, rate, choose, edit, regenerate, runAgain, act, path, go]);
  return (
    <ConversationContext value={shared}>
      <ConversationFrame shown={shown} path={path} onGo={go} onSend={send} onRun={run} onRetry={retry} />
    </ConversationContext>
  );
}

/** The stream for hooks that follow a part of it. A new one with every token would draw everything anew. */
function useHandle(): AnyStream {
  const stream = useStreamContext<StreamedState>();
  const controller = stream[STREAM_CONTROLLER];
  // biome-ignore lint/correctness/useExhaustiveDependencies: its identity is the controller's
  return useMemo(() => stream, [controller]);
}

const PREFIX = "#subagent/";

/** The subagents that are open, outermost first, by their calls. They live in the address, so Back leaves them. */
function useSubagentPath() {
  const hash = useSyncExternalStore(listen, () => location.hash);
  const path = useMemo(
    () => (hash.startsWith(PREFIX) ? hash.slice(PREFIX.length).split("/").map(decodeURIComponent) : []),
    [hash],
  );
  const go = useCallback((to: string[]) => {
    const next = to.length > 0 ? PREFIX + to.map(encodeURIComponent).join("/") : "";
    // An empty hash would scroll to the top and leave a "#" behind.
    history.pushState(history.state, "", next || location.pathname + location.search);
    window.dispatchEvent(new Event("hashchange"));
  }, []);
  return { path, go };
}

function listen(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  window.addEventListener("popstate", changed);
  return () => {
    window.removeEventListener("hashchange", changed);
    window.removeEventListener("popstate", changed);
  };
}
