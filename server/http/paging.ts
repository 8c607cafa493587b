import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

/** Where a page stands in a list: `total` rows match, of which this page skipped `offset` and took `limit`. */
export type PagePosition = { total: number; offset: number; limit: number };

/** The headers that SDKs read a page from: the true total, and the next offset only while there is more. */
export function pageHeaders({ total, offset, limit }: PagePosition): Record<string, string> {
  const next = offset + limit;
  return next < total
    ? { "x-pagination-total": String(total), "x-pagination-next": String(next) }
    : { "x-pagination-total": String(total) };
}

/** The schema of a page of the control plane and of issues: `{resources: […], offset}` and what else comes with it. */
export const pageOf = <Item extends TSchema, More extends TProperties = Record<never, never>>(
  title: string,
  item: Item,
  more?: More,
) =>
  Type.Object(
    {
      resources: Type.Array(item),
      offset: Type.Integer({ description: "Send this as `offset` to get the next page." }),
      ...(more as More),
    },
    { $id: title },
  );
