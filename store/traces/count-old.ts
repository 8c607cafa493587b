import { sql } from "kysely";
import { type Database, TRACES_SCOPE, type Tx } from "../database/index.ts";
import { FigureCounting } from "../figures/index.ts";
import type { TraceRow } from "../schema/index.ts";
import { applyCall, applyPlaces } from "./span-merge.ts";
import { spansOf } from "./span-pack.ts";

/** Traces that one transaction counts. */
const AT_ONCE = 100;
/** Transactions of one turn; the next one goes on. */
const MOST_TURNS = 5;

/**
 * Takes traces into the figures that an earlier Berth wrote, which had none. What the figures say is in the same
 * transaction as the mark that a trace is counted: a crash counts none twice.
 * @returns how many it counted
 */
export async function countOldTraces(db: Database): Promise<number> {
  let counted = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const ids = await uncounted(db);
    if (ids.length === 0) break;
    await db.write((tx) => countTraces(tx, ids), { scope: [TRACES_SCOPE] });
    counted += ids.length;
  }
  return counted;
}

async function uncounted(db: Database): Promise<string[]> {
  const rows = await db.read
    .selectFrom("traces")
    .select("id")
    .where("counted", "=", sql.lit(0 as const))
    .where("status", "<>", "pending")
    .where("end_time", "is not", null)
    .orderBy("id")
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

async function countTraces(tx: Tx, ids: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom("traces")
    .selectAll()
    .where("id", "in", [...ids])
    .where("counted", "=", 0)
    .execute();
  const shipping = await tx.selectFrom("sessions").select("id").where("ships", "=", 1).execute();
  const ships = new Set(shipping.map(({ id }) => id));
  const figures = new FigureCounting();
  for (const row of rows) {
    const trace = await recounted(tx, row);
    const { revision_id, assistant_id, model_usage, first_token_ms } = trace;
    await tx
      .updateTable("traces")
      .set({ revision_id, assistant_id, model_usage, first_token_ms, counted: 1 })
      .where("id", "=", row.id)
      .execute();
    if (!ships.has(row.session_id)) figures.replace(undefined, trace);
  }
  await figures.write(tx);
}

/** The trace with what an earlier Berth did not write down; without it where its spans cannot be read. */
async function recounted(tx: Tx, row: TraceRow): Promise<TraceRow> {
  const trace = { ...row, model_usage: null, first_token_ms: null };
  try {
    applyPlaces(trace, row.metadata);
    for (const span of await spansOf(tx, row)) if (span.run_type === "llm") applyCall(trace, undefined, span);
    return trace;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return { ...row, model_usage: null };
    throw error;
  }
}
