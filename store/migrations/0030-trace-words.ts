import { type Kysely, PostgresAdapter, sql } from "kysely";

/**
 * The words of traces, to be searched. What is derived has a name with `berth_` in front: copies leave it out, and
 * the words are made again. A word has its lexeme from us, so that both engines find the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isOnServer = db.getExecutor().adapter instanceof PostgresAdapter;
  const statements = [
    `alter table traces add column unindexed integer not null default 1`,
    `create index traces_unindexed on traces (start_time) where unindexed = 1`,
    `create table berth_trace_docs (
      doc bigint primary key,
      trace_id text ${isOnServer ? `collate "C"` : ""} not null
      ${isOnServer ? ", words tsvector not null" : ""}
    )`,
    `create unique index berth_trace_docs_trace on berth_trace_docs (trace_id)`,
    isOnServer
      ? `create index berth_trace_docs_words on berth_trace_docs using gin (words)`
      : `create virtual table berth_trace_words using fts5 (words, content='', contentless_delete=1, detail=none,
          tokenize="unicode61 remove_diacritics 0 categories 'L* M* N*' tokenchars '_'")`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
