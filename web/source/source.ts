import type { ThreadSummary } from "@berth/server";
import { createContext, useContext } from "react";
import { request } from "../api/index.ts";

/** One page of the list of conversations. */
export type ThreadPage = {
  threads: ThreadSummary[];
  /** Where the next page begins; nothing behind the last. */
  next: number | undefined;
};

/** Where a server has a list of assistants, and what to send there, where it has to be asked for by POST. */
type AssistantsPlace = { path: string; body?: object };

/** What the chat gets its conversations from: one for each kind of server. */
export type ChatSource = {
  /** Where threads are. Below that, servers have the same: states, the history, runs. */
  threadsAt: string;
  assistantsAt: AssistantsPlace;
  /** Whether a thread tells what happens in it by itself; else its runs are followed one by one. */
  isLive: boolean;
  /** Whether answers can be rated. */
  hasRatings: boolean;
  /** What the chat cannot do here, in words for a person; nothing where it can do everything. */
  lacks: string | undefined;
  /** The conversations whose title holds `query`, last changed first. */
  threads: (query: string, offset: number, signal: AbortSignal) => Promise<ThreadPage>;
  /** What a thread is changed by, to have this title. */
  titled: (title: string) => object;
};

export const SourceContext = createContext<ChatSource | undefined>(undefined);

/** What this chat gets its conversations from. */
export function useSource(): ChatSource {
  const source = useContext(SourceContext);
  if (!source) throw new Error("useSource() is for components inside of <SourceContext>");
  return source;
}

const pathOf = ({ threadsAt }: ChatSource, id: string): string => `${threadsAt}/${id}`;

/** Where a thread's checkpoints are searched, newest first. */
export const historyPath = (source: ChatSource, id: string): string => `${pathOf(source, id)}/history`;

export function renameThread(source: ChatSource, id: string, title: string): Promise<void> {
  return request(pathOf(source, id), { method: "PATCH", body: source.titled(title) });
}

export function deleteThread(source: ChatSource, id: string): Promise<void> {
  return request(pathOf(source, id), { method: "DELETE" });
}

/** Asks a run to stop. */
export function cancelRun(source: ChatSource, id: string, runId: string): Promise<void> {
  return request(`${pathOf(source, id)}/runs/${runId}/cancel?wait=0&action=interrupt`, { method: "POST" });
}
