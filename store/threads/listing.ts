import { type ExpressionBuilder, sql } from "kysely";
import type { Database, Tx } from "../database/index.ts";
import { type MetadataFilter, permitsColumn } from "../json-filter.ts";
import type { Instant, Json, Schema, ThreadStatus } from "../schema/index.ts";
import { folded } from "../words/index.ts";
import { threadsWithWords } from "./thread-words.ts";

/** A thread as a list of conversations shows it. */
export type ListedThread = {
  thread_id: string;
  /** Null until somebody said or wrote something. */
  title: string | null;
  updated_at: Instant;
  status: ThreadStatus;
  /** It asks something: an interrupt is open. */
  waiting: boolean;
  /** The assistant that spoke on it last. */
  assistant_id: string | null;
};

export type ThreadListing = {
  limit: number;
  offset: number;
  /**
   * Only threads whose title has this in it, whatever the case and the accents, or on which all its words were said:
   * the last one may be a beginning.
   */
  query?: string;
  /** Without what only programs ran: threads of which no run was started over the thread protocol. */
  conversations?: boolean;
  /** Only what these let the caller see. */
  permitted?: MetadataFilter | undefined;
};

/** A search looks at no more than these, the last changed: a part of a title has no index. */
const SEARCHED = 10_000;
const SEARCHED_AT_ONCE = 1_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One page of the threads that have a state or are about to get one, last changed first. */
export async function listThreads(db: Database, listing: ThreadListing): Promise<ListedThread[]> {
  const { limit, offset, query, permitted, conversations } = listing;
  if (!query) return page(db, { limit, offset, permitted, conversations });
  const wanted = folded(query);
  const found: ListedThread[] = [];
  for (let start = 0; start < SEARCHED && found.length < offset + limit; start += SEARCHED_AT_ONCE) {
    const threads = await page(db, { limit: SEARCHED_AT_ONCE, offset: start, permitted, conversations });
    // Only of those that the caller may see.
    const ids = threads.map(({ thread_id }) => thread_id);
    const said = await threadsWithWords(db.read, query, ids);
    const isFound = ({ thread_id, title }: ListedThread) =>
      said.has(thread_id) || (title !== null && folded(title).includes(wanted));
    found.push(...threads.filter(isFound));
    if (threads.length < SEARCHED_AT_ONCE) break;
  }
  return found.slice(offset, offset + limit);
}

/** A thread as {@link listThreads} shows it; undefined when there is none. */
export async function findListedThread(db: Database, threadId: string): Promise<ListedThread | undefined> {
  const row = await listed(db).where("thread_id", "=", threadId).executeTakeFirst();
  return row && read(row);
}

/**
 * Names a thread. This is no change of what was said: its place in the list stays.
 * @returns false when there is no such thread, or it has a title and `onlyIfNull` is set
 */
export async function setTitle(
  tx: Tx,
  threadId: string,
  title: string,
  { onlyIfNull = false }: { onlyIfNull?: boolean } = {},
): Promise<boolean> {
  const update = tx.updateTable("threads").set({ title }).where("thread_id", "=", threadId);
  const { numUpdatedRows } = await (onlyIfNull
    ? update.where("title", "is", null)
    : update
  ).executeTakeFirst();
  return numUpdatedRows > 0;
}

async function page(
  db: Database,
  { limit, offset, permitted, conversations }: Omit<ThreadListing, "query">,
): Promise<ListedThread[]> {
  const rows = await listed(db)
    .$if(permitted !== undefined, (query) =>
      query.where((eb) => permitsColumn(db.sql, eb.ref("metadata"), permitted ?? { all: [] })),
    )
    .where((eb) => eb.or([eb("state_updated_at", "is not", null), eb("status", "=", "busy")]))
    .$if(conversations === true, (query) => query.where(isConversation))
    .orderBy("updated_at", "desc")
    .orderBy("thread_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(read);
}

/** How a run is stored that was started over the thread protocol: chats and their like do, crons and API calls do not. */
const TALKED = '%"thread_log":true%';

/** A thread without runs was written rather than run, by whomever: it stays. */
function isConversation(eb: ExpressionBuilder<Schema, "threads">) {
  const runs = () =>
    eb.selectFrom("runs").select("runs.run_id").whereRef("runs.thread_id", "=", "threads.thread_id");
  return eb.or([eb.exists(runs().where("runs.kwargs", "like", TALKED)), eb.not(eb.exists(runs()))]);
}

type ListedRow = Omit<ListedThread, "waiting"> & { interrupts: Json };

function read({ interrupts, ...row }: ListedRow): ListedThread {
  // Metadata are the callers': whatever they put there comes out of it.
  const assistant_id = row.assistant_id && UUID.test(row.assistant_id) ? row.assistant_id : null;
  return { ...row, assistant_id, waiting: interrupts !== "{}" };
}

function listed(db: Database) {
  return db.read
    .selectFrom("threads")
    .select((eb) => [
      "thread_id",
      "title",
      "updated_at",
      "status",
      "interrupts",
      sql<string | null>`${db.sql.jsonText(eb.ref("metadata"), "assistant_id")}`.as("assistant_id"),
    ]);
}
