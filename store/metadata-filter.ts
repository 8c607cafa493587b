import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { SqlDialect } from "./database/index.ts";
import { containsJson, type JsonObject } from "./json-filter.ts";

/** Which resources somebody may see, by their metadata: JSON containment, or several of these. */
export type MetadataFilter = { contain: JsonObject } | { all: MetadataFilter[] } | { any: MetadataFilter[] };

/** Whether a filter lets a resource be seen; without a filter every one may be. */
export function permits(filter: MetadataFilter | undefined, metadata: JsonObject): boolean {
  if (filter === undefined) return true;
  if ("contain" in filter) return containsJson(metadata, filter.contain);
  if ("all" in filter) return filter.all.every((part) => permits(part, metadata));
  return filter.any.some((part) => permits(part, metadata));
}

/** The same as a condition on a JSON column. */
export function permitsColumn(
  sql: SqlDialect,
  column: Expression<string>,
  filter: MetadataFilter,
): Expression<SqlBool> {
  if ("contain" in filter) return sql.jsonContains(column, filter.contain);
  const eb = expressionBuilder<never, never>();
  const parts = ("all" in filter ? filter.all : filter.any).map((part) => permitsColumn(sql, column, part));
  return "all" in filter ? eb.and(parts) : eb.or(parts);
}
