import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import { BadRequest, NotFound } from "../errors.ts";
import type { ModelPriceRow, TraceRow } from "../schema/index.ts";
import { DEFAULT_PRICES, type TokenPrice } from "./default-prices.ts";
import { type ModelSums, type ModelUsage, usageIn } from "./sums.ts";

export type ModelPrice = Omit<ModelPriceRow, "workspace_id">;
type NewModelPrice = Omit<ModelPriceRow, "id" | "workspace_id" | "updated_at">;

/** Prices that a workspace may have of its own. */
const MOST_PRICES = 1_000;

/** What models cost, as a workspace says. */
export class ModelPrices {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** By model, the newest price of each first. */
  async list(workspaceId: string): Promise<ModelPrice[]> {
    const rows = await this.db.read
      .selectFrom("model_prices")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .orderBy("model")
      .orderBy("since", "desc")
      .limit(MOST_PRICES)
      .execute();
    return rows.map(({ workspace_id: _, ...price }) => price);
  }

  /** What costs are counted with. */
  async book(workspaceId: string): Promise<PriceBook> {
    return new PriceBook(await this.list(workspaceId));
  }

  /**
   * Says what a model costs from a moment on; replaces what was said for the same moment.
   * @throws BadRequest the model has no name, or there are 1,000 prices already
   */
  async put(workspaceId: string, price: NewModelPrice): Promise<ModelPrice> {
    const { model, since, ...rest } = { ...price, model: price.model.trim().toLowerCase() };
    if (model === "") throw new BadRequest("A price needs the name of a model.", { field: ["model"] });
    const values = { ...rest, updated_at: this.clock.now() };
    const id = Bun.randomUUIDv7();
    return this.db.write(async (tx) => {
      const { count } = await tx
        .selectFrom("model_prices")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST_PRICES)
        throw new BadRequest(`A workspace has at most ${MOST_PRICES} prices: delete some first.`);
      const row = await tx
        .insertInto("model_prices")
        .values({ id, workspace_id: workspaceId, model, since, ...values })
        .onConflict((same) => same.columns(["workspace_id", "model", "since"]).doUpdateSet(values))
        .returningAll()
        .executeTakeFirstOrThrow();
      const { workspace_id: _, ...kept } = row;
      return kept;
    });
  }

  /** @throws NotFound */
  async delete(workspaceId: string, id: string): Promise<void> {
    const deleted = await this.db.write((tx) =>
      tx
        .deleteFrom("model_prices")
        .where("workspace_id", "=", workspaceId)
        .where("id", "=", id)
        .executeTakeFirst(),
    );
    if (Number(deleted.numDeletedRows) === 0) throw new NotFound("Price not found");
  }
}

/** What calls cost, and of which models that is not known. */
export type Cost = { dollars: number; unpriced: Set<string> };

const MILLION = 1_000_000;

/** The prices of a workspace, and where it has none, the list that Berth brings. */
export class PriceBook {
  readonly #own: ReadonlyMap<string, readonly ModelPrice[]>;
  readonly #found = new Map<string, string | undefined>();

  constructor(own: readonly ModelPrice[]) {
    this.#own = Map.groupBy(
      own.toSorted((a, b) => b.since - a.since),
      ({ model }) => model,
    );
  }

  /** What a model cost at a moment; undefined for one that nobody knows. */
  of(model: string, at: number): TokenPrice | undefined {
    if (!this.#found.has(model)) this.#found.set(model, this.#nameOf(model));
    const name = this.#found.get(model);
    if (name === undefined) return undefined;
    return this.#own.get(name)?.find(({ since }) => since <= at) ?? DEFAULT_PRICES.get(name);
  }

  /** What the calls of a bucket cost. */
  cost(usage: ModelUsage, at: number): Cost {
    const unpriced = new Set<string>();
    let dollars = 0;
    for (const [model, sums] of usage) {
      const price = this.of(model, at);
      if (price) dollars += costOf(sums, price);
      else if (sums.inputTokens + sums.outputTokens > 0) unpriced.add(model);
    }
    return { dollars, unpriced };
  }

  /** What one trace cost; null where a price is missing, or nothing of it can be read. */
  costOfTrace({ model_usage, start_time }: Pick<TraceRow, "model_usage" | "start_time">): number | null {
    try {
      const { dollars, unpriced } = this.cost(usageIn(model_usage), start_time);
      return unpriced.size > 0 ? null : dollars;
    } catch {
      return null;
    }
  }

  #nameOf(model: string): string | undefined {
    const names = namesOf(model);
    return names.find((name) => this.#own.has(name)) ?? names.find((name) => DEFAULT_PRICES.has(name));
  }
}

type Tokens = Pick<ModelSums, "inputTokens" | "outputTokens" | "cacheRead" | "cacheWrite">;

function costOf({ inputTokens, outputTokens, cacheRead, cacheWrite }: Tokens, price: TokenPrice): number {
  const plain = Math.max(0, inputTokens - cacheRead - cacheWrite);
  const dollars =
    plain * price.input +
    cacheRead * (price.cache_read ?? price.input) +
    cacheWrite * (price.cache_write ?? price.input) +
    outputTokens * price.output;
  return dollars / MILLION;
}

/** `openai/`, `models/`, `us.anthropic.`: who offers it. */
const OFFERED_BY = /^(?:.*\/)?(?:(?:[a-z]{2,4}\.)?[a-z0-9]+\.(?=[a-z]))?/;
/** `-2024-08-06`, `-20250514`, `@20250514`, `-latest`, `-001`, `-v1:0`: which edition it is. */
const EDITION = /(?:[-@]\d{4}-?\d{2}-?\d{2}|-latest|-\d{3,4})?(?:-v\d+(?::\d+)?)?$/;

/** The names that a price of a model may stand under, the closest first. */
function namesOf(model: string): string[] {
  const name = model.trim().toLowerCase();
  const plain = name.replace(OFFERED_BY, "");
  return name === ""
    ? []
    : [...new Set([name, plain, name.replace(EDITION, ""), plain.replace(EDITION, "")])];
}
