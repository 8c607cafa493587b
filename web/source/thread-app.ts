import type { ThreadSummary } from "@berth/server";
import { request } from "../api/index.ts";
import type { ChatSource } from "./source.ts";

const THREADS = "/api/threads";
/** As many conversations are read at once. */
const PAGE = 100;

/** Berth's thread app: the list has titles, and a thread tells of itself over a socket. */
export const threadApp: ChatSource = {
  threadsAt: THREADS,
  assistantsAt: { path: "/api/assistants" },
  isLive: true,
  hasRatings: true,
  lacks: undefined,
  threads: async (query, offset, signal) => {
    // With a query these are all threads, whoever ran them.
    const parameters = {
      ...(query ? { q: query } : { conversations: "true" }),
      limit: `${PAGE}`,
      offset: `${offset}`,
    };
    const path = `${THREADS}?${new URLSearchParams(parameters)}`;
    const threads = await request<ThreadSummary[]>(path, { signal });
    return { threads, next: threads.length < PAGE ? undefined : offset + PAGE };
  },
  titled: (title) => ({ title }),
};
