import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { FigureRow } from "../schema/index.ts";

const MINUTE_MS = 60_000;
/** How long figures are kept. */
export const FIGURES_KEPT_MS = 7 * 86_400_000;

/** What deployments did, minute by minute, for a week. */
export class Figures {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds to what there is of the same minutes already: counts are summed, of the others the higher stays. */
  async add(rows: readonly FigureRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.db.write(async (tx) => {
      for (const row of rows) await addRow(tx, row);
    });
  }

  /** The last so many minutes up to now, oldest first; a minute without a row was quiet. */
  read(deploymentId: string, minutes: number): Promise<FigureRow[]> {
    return this.db.read
      .selectFrom("figures")
      .selectAll()
      .where("deployment_id", "=", deploymentId)
      .where("minute", ">", this.clock.now() - minutes * MINUTE_MS)
      .orderBy("minute")
      .execute();
  }

  /** Forgets what is older than a week. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - FIGURES_KEPT_MS;
    const due = await this.db.read
      .selectFrom("figures")
      .select("minute")
      .where("minute", "<", before)
      .limit(1)
      .executeTakeFirst();
    if (due) await this.db.write((tx) => tx.deleteFrom("figures").where("minute", "<", before).execute());
  }
}

async function addRow(tx: Tx, row: FigureRow): Promise<void> {
  const { deployment_id, minute } = row;
  const there = await tx
    .selectFrom("figures")
    .selectAll()
    .where("deployment_id", "=", deployment_id)
    .where("minute", "=", minute)
    .executeTakeFirst();
  const { deployment_id: _, minute: __, ...columns } = there ? sum(there, row) : row;
  await tx
    .insertInto("figures")
    .values({ deployment_id, minute, ...columns })
    .onConflict((same) => same.columns(["deployment_id", "minute"]).doUpdateSet(columns))
    .execute();
}

function sum(one: FigureRow, other: FigureRow): FigureRow {
  return {
    ...one,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    p50_ms: highest(one.p50_ms, other.p50_ms),
    p95_ms: highest(one.p95_ms, other.p95_ms),
    open_streams: Math.max(one.open_streams, other.open_streams),
    memory_bytes: highest(one.memory_bytes, other.memory_bytes),
  };
}

function highest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
