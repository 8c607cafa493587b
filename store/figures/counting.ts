import { prepared, type Tx } from "../database/index.ts";
import type { RunFigureRow, TraceRow } from "../schema/index.ts";
import { type Histogram, packHistogram, unpackHistogram } from "./histogram.ts";
import { addRuns, noRuns, OTHER, oneDuration, type RunSums, usageIn, usageText } from "./sums.ts";

/** How long buckets are, in seconds: what is short is kept short, so that any range is a few hundred rows. */
export const STEPS_S = [60, 3_600, 86_400] as const;
/** A project's rows of one bucket; what would be more goes to the assistant "other". */
const MOST_ROWS = 200;

type Key = Pick<
  RunFigureRow,
  "workspace_id" | "step_s" | "start" | "session_id" | "revision_id" | "assistant_id"
>;

const find = prepared<Key, RunFigureRow>((db, key) =>
  db
    .selectFrom("run_figures")
    .selectAll()
    .where("workspace_id", "=", key.workspace_id)
    .where("step_s", "=", key.step_s)
    .where("start", "=", key.start)
    .where("session_id", "=", key.session_id)
    .where("revision_id", "=", key.revision_id)
    .where("assistant_id", "=", key.assistant_id),
);
const countOf = prepared<Omit<Key, "revision_id" | "assistant_id">, { count: number }>((db, key) =>
  db
    .selectFrom("run_figures")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", key.workspace_id)
    .where("step_s", "=", key.step_s)
    .where("start", "=", key.start)
    .where("session_id", "=", key.session_id),
);
const put = prepared<RunFigureRow>((db, row) => {
  const { workspace_id, step_s, start, session_id, revision_id, assistant_id } = row;
  const { runs, errors, interrupted, cancelled, latency, first_token, model_usage } = row;
  const sums = { runs, errors, interrupted, cancelled, latency, first_token, model_usage };
  return db
    .insertInto("run_figures")
    .values({ workspace_id, step_s, start, session_id, revision_id, assistant_id, ...sums })
    .onConflict((same) =>
      same
        .columns(["workspace_id", "step_s", "start", "session_id", "revision_id", "assistant_id"])
        .doUpdateSet(sums),
    );
});

type Counted = Pick<
  TraceRow,
  | "workspace_id"
  | "session_id"
  | "revision_id"
  | "assistant_id"
  | "start_time"
  | "latency_ms"
  | "first_token_ms"
  | "status"
  | "model_usage"
>;

/** What one transaction changes of the figures: folded first, so that many runs of one minute cost three rows. */
export class FigureCounting {
  readonly #changes = new Map<string, { key: Omit<Key, "step_s">; sums: RunSums }>();

  /** Counts a trace as it is now instead of as it was; undefined for what is not in the figures. */
  replace(before: Counted | undefined, after: Counted | undefined): void {
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  /** Writes what changed, in one order for everybody. */
  async write(tx: Tx): Promise<void> {
    for (const [, { key, sums }] of [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (isNothing(sums)) continue;
      for (const step_s of STEPS_S) {
        const length = step_s * 1_000;
        await addTo(tx, { ...key, step_s, start: key.start - (key.start % length) }, sums);
      }
    }
  }

  #add(trace: Counted, sign: 1 | -1): void {
    const { workspace_id, session_id, revision_id, assistant_id, start_time } = trace;
    const minute = start_time - (start_time % 60_000);
    const key = {
      ...{ workspace_id, session_id, start: minute },
      ...{ revision_id: revision_id ?? "", assistant_id: assistant_id ?? "" },
    };
    const name = JSON.stringify(key);
    const change = this.#changes.get(name) ?? { key, sums: noRuns() };
    this.#changes.set(name, change);
    addRuns(change.sums, sumsOf(trace), sign);
  }
}

function sumsOf({ status, latency_ms, first_token_ms, model_usage }: Counted): RunSums {
  return {
    runs: 1,
    errors: status === "error" || status === "timeout" ? 1 : 0,
    interrupted: status === "interrupted" ? 1 : 0,
    cancelled: status === "cancelled" ? 1 : 0,
    latency: oneDuration(latency_ms),
    firstToken: oneDuration(first_token_ms),
    usage: usageIn(model_usage),
  };
}

/** A trace that was only written again changes nothing. */
const isNothing = ({ runs, errors, interrupted, cancelled, latency, firstToken, usage }: RunSums): boolean =>
  runs === 0 &&
  errors === 0 &&
  interrupted === 0 &&
  cancelled === 0 &&
  latency.size + firstToken.size + usage.size === 0;

async function addTo(tx: Tx, key: Key, sums: RunSums): Promise<void> {
  const [there] = await find(tx, key);
  if (!there && key.assistant_id !== OTHER && (await isFull(tx, key)))
    return addTo(tx, { ...key, revision_id: "", assistant_id: OTHER }, sums);
  const all = there ? sumsIn(there) : noRuns();
  addRuns(all, sums);
  const { runs, errors, interrupted, cancelled } = all;
  await put(tx, {
    ...key,
    ...{ runs, errors, interrupted, cancelled },
    latency: histogramText(all.latency),
    first_token: histogramText(all.firstToken),
    model_usage: usageText(all.usage),
  });
}

async function isFull(tx: Tx, key: Key): Promise<boolean> {
  const [rows] = await countOf(tx, key);
  return Number(rows?.count ?? 0) >= MOST_ROWS;
}

/** What a row holds. */
export function sumsIn(row: RunFigureRow): RunSums {
  const { runs, errors, interrupted, cancelled, latency, first_token, model_usage } = row;
  return {
    ...{ runs, errors, interrupted, cancelled },
    latency: histogramIn(latency),
    firstToken: histogramIn(first_token),
    usage: usageIn(model_usage),
  };
}

const histogramText = (histogram: Histogram): string => JSON.stringify(packHistogram(histogram));
const histogramIn = (text: string): Histogram => unpackHistogram(JSON.parse(text));
