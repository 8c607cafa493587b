import { type Kysely, PostgresAdapter, sql } from "kysely";

/**
 * The words of threads, to be searched. As with those of traces, what is derived has a name with `berth_` in front:
 * copies leave it out, and the words are made again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isOnServer = db.getExecutor().adapter instanceof PostgresAdapter;
  const statements = [
    isOnServer
      ? `create table berth_thread_docs (
          thread_id text collate "C" primary key,
          indexed_at bigint not null,
          words tsvector not null
        )`
      : `create table berth_thread_docs (
          doc integer primary key,
          thread_id text not null unique,
          indexed_at bigint not null
        )`,
    `create index berth_thread_docs_indexed on berth_thread_docs (indexed_at)`,
    isOnServer
      ? `create index berth_thread_docs_words on berth_thread_docs using gin (words)`
      : `create virtual table berth_thread_words using fts5 (words, content='', contentless_delete=1, detail=none,
          tokenize="unicode61 remove_diacritics 0 categories 'L* M* N*' tokenchars '_'")`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
