import { containsJson, type JsonObject, type MetadataFilter, permits } from "../json-filter.ts";

type Placed = { namespace: string[]; key: string; value: JsonObject };

/**
 * Whether a filter lets an item be seen: it is held against the value together with `namespace` and `key`, as on the
 * official server (`agent-server.md` §24).
 */
export function permitsItem(filter: MetadataFilter | undefined, { namespace, key, value }: Placed): boolean {
  return filter === undefined || permits(filter, { ...value, namespace, key });
}

/** The same for all items of a namespace; undefined where that hangs on the item. */
export function permitsNamespace(filter: MetadataFilter, namespace: string[]): boolean | undefined {
  if ("contain" in filter) {
    const { namespace: wanted, ...rest } = filter.contain;
    if (wanted !== undefined && !containsJson({ namespace }, { namespace: wanted })) return false;
    return Object.keys(rest).length === 0 ? true : undefined;
  }
  const parts = ("all" in filter ? filter.all : filter.any).map((part) => permitsNamespace(part, namespace));
  const deciding = "any" in filter;
  if (parts.includes(deciding)) return deciding;
  return parts.includes(undefined) ? undefined : !deciding;
}
