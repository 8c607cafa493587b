import { sql } from "kysely";
import type { Tx } from "../database/index.ts";
import type { SpanRow } from "../schema/index.ts";
import { insertPack, takePack } from "./span-pack.ts";
import type { SpanWrite } from "./trace.ts";

/** What a trace says of itself whose content is gone. */
export const CONTENT_DELETED = { content_deleted: true };

/**
 * Takes out of a trace whatever people, graphs and models said: inputs, outputs, metadata, tags, the words of errors
 * and of feedback. What ran, when, how long, with how many tokens and which kind of error stays.
 */
export async function stripTrace(tx: Tx, id: string, now: number): Promise<void> {
  const trace = await tx.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirst();
  if (!trace) return;
  const packed = await takePack(tx, trace);
  if (packed.length > 0) await insertPack(tx, trace, packed.map(strippedPacked));
  await tx
    .updateTable("spans")
    .set({ ...NOTHING, error_message: EMPTY_ERROR, revision: sql`revision + 1` })
    .where("trace_id", "=", id)
    .execute();
  await tx
    .updateTable("trace_feedback")
    .set({ value: null, comment: null, revision: sql`revision + 1` })
    .where("trace_id", "=", id)
    .execute();
  await tx
    .updateTable("traces")
    .set({
      ...{
        metadata: JSON.stringify(CONTENT_DELETED),
        tags: "[]",
        error_message: EMPTY_ERROR,
        error_text: "",
      },
      // What is left would look like another failure.
      ...{ body_bytes: 0, unscanned: 0, revision: trace.revision + 1, updated_at: now },
    })
    .where("id", "=", id)
    .execute();
}

const NOTHING = { inputs: null, outputs: null, metadata: "{}", tags: "[]" };
const EMPTY_ERROR = sql<string | null>`case when error_message is null then null else '' end`;

/** A pack names the spans' orders by itself. */
const strippedPacked = (span: SpanRow): SpanRow => ({
  ...{ ...span, ...NOTHING, dotted_order: "" },
  error_message: span.error_message === null ? null : "",
});

/** News of a span without their content. */
export function strippedWrite(news: SpanWrite): SpanWrite {
  const { inputs: _, outputs: __, metadata: ___, tags: ____, error, ...rest } = news;
  const isRoot = news.id === news.trace_id;
  return {
    ...rest,
    ...(error !== undefined && { error: error && { type: error.type, message: "" } }),
    ...(isRoot && { metadata: CONTENT_DELETED }),
  };
}
