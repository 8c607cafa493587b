import { type FoundFigures, type GroupName, plainText, type RunValues } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, Uuid } from "../../http/index.ts";

const Count = Type.Integer();
const Milliseconds = nullable(
  Type.Object(
    { p50: Count, p95: Count, p99: Count },
    {
      description:
        "Median, 95th and 99th percentile in milliseconds, at most 2.5 % off. Null if there is nothing to measure.",
    },
  ),
);

const valueFields = {
  runs: nullable(
    Type.Integer({
      description: "Runs that ended. Null if the figures are of one model: then they count its calls.",
    }),
  ),
  errors: Type.Integer({ description: "Runs that failed or took too long." }),
  interrupted: Type.Integer({ description: "Runs that ended with a question to a person." }),
  cancelled: Count,
  latency_ms: Milliseconds,
  first_token_ms: Milliseconds,
  model_calls: Count,
  failed_model_calls: Count,
  input_tokens: Type.Integer({ description: "Tokens that models read, also those from a cache." }),
  output_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  cost: Type.Number({ description: "US dollars, for the models that have a known price." }),
  unpriced_models: Type.Array(Type.String(), {
    description:
      "Models without a known price: the cost leaves them out. An empty name stands for calls that named no model.",
  }),
};
const ShownValues = Type.Object(valueFields, { $id: "RunValues" });
type ShownValues = Static<typeof ShownValues>;

const ShownBucket = Type.Object({ start: Instant, ...valueFields }, { $id: "RunFiguresBucket" });

export const ShownRunFigures = Type.Object(
  {
    from: Type.String({ format: "date-time", description: "The start of the first bucket." }),
    to: Instant,
    step_s: Type.Integer({ description: "How long a bucket is; days are those of UTC." }),
    running: Type.Integer({
      description: "Runs in progress now that began within a day; at most 10,000.",
    }),
    prices_date: Type.String({ description: "The date of the list of prices that comes with this Berth." }),
    total: ShownValues,
    buckets: Type.Array(ShownBucket),
    groups: Type.Array(
      Type.Object({
        key: Type.String({ description: "The id, or the name of the model. Empty for runs that have none." }),
        name: nullable(Type.String()),
        deployment_id: nullable(Uuid),
        total: ShownValues,
        buckets: nullable(Type.Array(ShownBucket)),
      }),
      { description: "The largest first, at most 100. Only the six largest have buckets." },
    ),
    has_more_groups: Type.Boolean(),
  },
  { $id: "RunFigures" },
);
export type ShownRunFigures = Static<typeof ShownRunFigures>;

/** @param names of the groups, as far as they are known */
export function shownRunFigures(
  figures: FoundFigures,
  {
    names,
    running,
    pricesDate,
  }: { names: ReadonlyMap<string, GroupName>; running: number; pricesDate: string },
): ShownRunFigures {
  return {
    from: isoTime(figures.from),
    to: isoTime(figures.to),
    step_s: figures.stepMs / 1_000,
    running,
    prices_date: pricesDate,
    total: shownValues(figures.total),
    buckets: figures.buckets.map(shownBucket),
    groups: figures.groups.map(({ key, total, buckets }) => ({
      key: plainText(key),
      name: names.get(key)?.name ?? null,
      deployment_id: names.get(key)?.deployment_id ?? null,
      total: shownValues(total),
      buckets: buckets?.map(shownBucket) ?? null,
    })),
    has_more_groups: figures.isCut,
  };
}

const shownBucket = ({ start, ...values }: RunValues & { start: number }) => ({
  start: isoTime(start),
  ...shownValues(values),
});

const shownValues = ({ runs, errors, interrupted, cancelled, ...values }: RunValues): ShownValues => ({
  ...{ runs, errors, interrupted, cancelled },
  latency_ms: values.latency,
  first_token_ms: values.firstToken,
  model_calls: values.calls,
  failed_model_calls: values.failedCalls,
  input_tokens: values.inputTokens,
  output_tokens: values.outputTokens,
  cache_read_tokens: values.cacheReadTokens,
  cache_write_tokens: values.cacheWriteTokens,
  cost: values.cost,
  unpriced_models: values.unpriced.map((model) => plainText(model)),
});
