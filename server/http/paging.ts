/** Where a page stands in a list: `total` rows match, of which this page skipped `offset` and took `limit`. */
export type Page = { total: number; offset: number; limit: number };

/** The headers that SDKs read a page from: the true total, and the next offset only while there is more. */
export function pageHeaders({ total, offset, limit }: Page): Record<string, string> {
  const next = offset + limit;
  return next < total
    ? { "x-pagination-total": String(total), "x-pagination-next": String(next) }
    : { "x-pagination-total": String(total) };
}
