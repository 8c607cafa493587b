import type { Thread, ThreadSummary } from "@berth/server";
import { request } from "../api/index.ts";
import { ASSISTANTS_ASKED } from "./assistant-order.ts";
import type { ChatSource } from "./source.ts";
import { WORDS } from "./words.ts";

/** Whole states come with the list: fewer of them at once. */
const PAGE = 30;
/** So far a search looks back: the server knows no titles. */
const SEARCHED = 200;
const LONGEST_TITLE = 80;

/** A thread as our server has it. Another may leave out all but its id, and what is there may be null. */
type Listed = Pick<Thread, "thread_id"> & { [Name in keyof Thread]?: Thread[Name] | null };

/** Any Agent Server: what its API has for threads and runs, and nothing of Berth's own. */
export const agentServer: ChatSource = {
  threadsAt: "/threads",
  assistantsAt: { path: "/assistants/search", body: ASSISTANTS_ASKED },
  isLive: false,
  hasRatings: false,
  lacks: WORDS.otherServerLacks,
  threads: async (query, offset, signal) => {
    const limit = query ? SEARCHED : PAGE;
    const body = { limit, offset, sort_by: "updated_at", sort_order: "desc" };
    const found = await request<Thread[]>("/threads/search", { method: "POST", body, signal });
    const threads = found.map(summary);
    if (!query) return { threads, next: found.length < PAGE ? undefined : offset + PAGE };
    const sought = query.toLowerCase();
    return { threads: threads.filter(({ title }) => title.toLowerCase().includes(sought)), next: undefined };
  },
  titled: (title) => ({ metadata: { title } }),
};

function summary(thread: Listed): ThreadSummary {
  const { thread_id, created_at, updated_at, metadata } = thread;
  const assistant = metadata?.assistant_id;
  const status = statusOf(thread.status);
  const isAsking = Object.values(thread.interrupts ?? {}).some((asked) => asked.length > 0);
  return {
    id: thread_id,
    title: titleOf(thread),
    updatedAt: updated_at ?? created_at ?? new Date().toISOString(),
    status,
    waiting: thread.interrupts ? isAsking : status === "interrupted",
    assistant_id: typeof assistant === "string" ? assistant : null,
  };
}

function statusOf(status: Listed["status"]): ThreadSummary["status"] {
  return status === "busy" || status === "interrupted" || status === "error" ? status : "idle";
}

/** The title that somebody gave it here, else the first words that a person wrote. */
function titleOf({ metadata, values }: Listed): string {
  if (typeof metadata?.title === "string" && metadata.title !== "") return metadata.title;
  const { messages } = (values ?? {}) as { messages?: unknown };
  const first = (Array.isArray(messages) ? messages : []).find(isHuman);
  const words = textOf(first?.content).trim().replace(/\s+/g, " ");
  if (words === "") return WORDS.newConversation;
  return words.length > LONGEST_TITLE ? `${words.slice(0, LONGEST_TITLE)}…` : words;
}

type Message = { type?: unknown; role?: unknown; content?: unknown };

const isHuman = (message: Message | null | undefined): message is Message =>
  ["human", "user"].includes(String(message?.type ?? message?.role));

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : ""))
    .join(" ");
}
