import { DEFAULT_PRICES, DEFAULT_PRICES_DATE, type ModelPrice } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, optional, text, Uuid } from "../../http/index.ts";

const Dollars = Type.Number({ minimum: 0, maximum: 1_000_000 });

const prices = {
  input: Dollars,
  output: Dollars,
  cache_read: nullable(Dollars),
  cache_write: nullable(Dollars),
};

export const ModelPriceForm = Type.Object({
  model: text({
    minLength: 1,
    maxLength: 200,
    description: "Upper and lower case are the same.",
  }),
  since: optional(
    Type.String({
      format: "date-time",
      description:
        "The price counts from this time on; without it, for all times. It replaces a price with the same `since`.",
    }),
  ),
  input: Dollars,
  output: Dollars,
  cache_read: optional(Dollars),
  cache_write: optional(Dollars),
});

export const ShownModelPrice = Type.Object(
  { id: Uuid, model: Type.String(), since: nullable(Instant), ...prices, updated_at: Instant },
  { $id: "ModelPrice" },
);
export type ShownModelPrice = Static<typeof ShownModelPrice>;

export const ModelPricesPage = Type.Object(
  {
    own: Type.Array(ShownModelPrice, { description: "The prices of the workspace; they beat the list." }),
    defaults: Type.Array(Type.Object({ model: Type.String(), ...prices })),
    defaults_date: Type.String({ description: "The date of the list that comes with Berth." }),
  },
  { $id: "ModelPrices" },
);
export type ModelPricesPage = Static<typeof ModelPricesPage>;

export const shownModelPrice = ({ since, updated_at, ...price }: ModelPrice): ShownModelPrice => ({
  ...price,
  since: since === 0 ? null : isoTime(since),
  updated_at: isoTime(updated_at),
});

export const shownModelPrices = (own: readonly ModelPrice[]): ModelPricesPage => ({
  own: own.map(shownModelPrice),
  defaults: [...DEFAULT_PRICES].map(([model, price]) => ({ model, ...price })),
  defaults_date: DEFAULT_PRICES_DATE,
});
