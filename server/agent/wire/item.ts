import type { FoundItem, Item } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, Instant, isoTime, nullable } from "../../http/index.ts";

const fields = {
  namespace: Type.Array(Type.String()),
  key: Type.String(),
  value: Dictionary,
  created_at: Instant,
  updated_at: Instant,
};

export const ShownItem = Type.Object(fields, { title: "Item" });
export type ShownItem = Static<typeof ShownItem>;

const Score = nullable(
  Type.Number({
    description:
      "How near the item is to `query`; 1 is the nearest. Null without a `query`, and for items without an index.",
  }),
);
export const ShownFoundItem = Type.Object({ ...fields, score: Score }, { title: "FoundItem" });
export type ShownFoundItem = Static<typeof ShownFoundItem>;

export const FoundItems = Type.Object({ items: Type.Array(ShownFoundItem) }, { title: "FoundItems" });
export const ShownNamespaces = Type.Object(
  { namespaces: Type.Array(Type.Array(Type.String())) },
  { title: "Namespaces" },
);
export type ShownNamespaces = Static<typeof ShownNamespaces>;

export function shownItem({ namespace, key, value, created_at, updated_at }: Item): ShownItem {
  return { namespace, key, value, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}

export const shownFoundItem = (item: FoundItem): ShownFoundItem => ({
  ...shownItem(item),
  score: item.score,
});
