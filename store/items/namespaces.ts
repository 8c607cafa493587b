import { type Database, prepared } from "../database/index.ts";
import { BadRequest, Invalid } from "../errors.ts";
import { type JsonObject, type MetadataFilter, parseObject } from "../json-filter.ts";
import type { Instant, ItemRow } from "../schema/index.ts";
import { permitsItem, permitsNamespace } from "./permit.ts";

export type NamespaceSearch = {
  /** Leading labels; `*` stands for any one label. */
  prefix?: string[];
  /** Trailing labels; `*` stands for any one label. */
  suffix?: string[];
  /** Longer namespaces are cut to so many labels. */
  max_depth?: number;
  /** Only namespaces that hold an item that these let the caller see. */
  permitted?: MetadataFilter | undefined;
  limit: number;
  offset: number;
};

const CHUNK = 1000;
const WILDCARD = "*";
const SCAN_CHUNK = 500;
/** What a caller may see is looked for in so many items and no more. */
export const PERMITTED_SCAN = 10_000;
export const SCAN_LIMIT = `Authenticated store query exceeded maximum scan limit of ${PERMITTED_SCAN} items`;

/**
 * The text of a namespace: `users.ada.`. The dot behind each label makes a textual prefix the same as a
 * prefix of labels.
 * @throws Invalid for a label that is empty or holds a dot
 */
export function encodeNamespace(labels: string[], field = "namespace"): string {
  if (labels.some((label) => label === "" || label.includes(".") || label.includes("\0"))) {
    throw Invalid.body(field, "Namespace labels cannot be empty or contain periods ('.')", labels);
  }
  return labels.map((label) => `${label}.`).join("");
}

export function decodeNamespace(text: string): string[] {
  return text === "" ? [] : text.slice(0, -1).split(".");
}

/** A row as rules about who may see it read it. */
export const placed = ({ namespace, key }: Pick<ItemRow, "namespace" | "key">, value: JsonObject) => ({
  ...{ namespace: decodeNamespace(namespace), key, value },
});

/**
 * The namespaces that hold living items, each once, ordered as their texts are. Reads no more of them than
 * the page needs: cutting to a depth keeps equal results next to each other.
 * @throws BadRequest what the caller may see would have to be looked for in too many items
 */
export async function listNamespaces(
  db: Database,
  search: NamespaceSearch,
  now: Instant,
): Promise<string[][]> {
  const prefix = search.prefix ?? [];
  const suffix = search.suffix ?? [];
  const range = encodeNamespace(literalStart(prefix), "prefix");
  encodeNamespace(suffix, "suffix");
  const found: string[] = [];
  const looked = { items: 0 };
  let after = "";
  for (;;) {
    const chunk = await selectChunk(db, { range, after, now });
    for (const { namespace, living } of chunk) {
      const labels = decodeNamespace(namespace);
      if (!living || !startsWith(labels, prefix) || !endsWith(labels, suffix)) continue;
      const cut = encodeNamespace(labels.slice(0, search.max_depth));
      if (found.at(-1) === cut) continue;
      if (!search.permitted || (await holdsPermitted(db, namespace, search.permitted, now, looked)))
        found.push(cut);
    }
    after = chunk.at(-1)?.namespace ?? after;
    if (chunk.length < CHUNK || found.length >= search.offset + search.limit) break;
  }
  return found.slice(search.offset, search.offset + search.limit).map(decodeNamespace);
}

/**
 * Steps from each namespace to the next one through the index, so that the cost depends on the number of
 * namespaces and not on that of items. The rows come in the order in which they are stepped to.
 */
function selectChunk(db: Database, { range, after, now }: { range: string; after: string; now: Instant }) {
  const { sql } = db;
  return db.read
    .withRecursive("names(namespace)", (names) =>
      names
        .selectFrom("items")
        .select((eb) => eb.fn.min("namespace").as("namespace"))
        .where((eb) => sql.startsWith(eb.ref("namespace"), range))
        .where("namespace", ">", after)
        .unionAll((step) =>
          step
            .selectFrom("names")
            .select((eb) =>
              eb
                .selectFrom("items as next")
                .select((next) => next.fn.min("next.namespace").as("namespace"))
                .whereRef("next.namespace", ">", "names.namespace")
                .where((next) => sql.startsWith(next.ref("next.namespace"), range))
                .$asScalar()
                .$notNull()
                .as("namespace"),
            )
            .where("names.namespace", "is not", null),
        ),
    )
    .selectFrom("names")
    .select((eb) => [
      "names.namespace",
      eb
        .exists(
          eb
            .selectFrom("items")
            .select("items.key")
            .whereRef("items.namespace", "=", "names.namespace")
            .where((item) => item.or([item("expires_at", "is", null), item("expires_at", ">", now)])),
        )
        .as("living"),
    ])
    .where("names.namespace", "is not", null)
    .limit(CHUNK)
    .execute();
}

type PageOfItems = { namespace: string; offset: number; now: Instant };

const livingItems = prepared<PageOfItems, Pick<ItemRow, "key" | "value">>((db, { namespace, offset, now }) =>
  db
    .selectFrom("items")
    .select(["key", "value"])
    .where("namespace", "=", namespace)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("key")
    .limit(SCAN_CHUNK)
    .offset(offset),
);

/** Whether a namespace, which holds living items, holds one that the filter lets be seen. */
async function holdsPermitted(
  db: Database,
  namespace: string,
  permitted: MetadataFilter,
  now: Instant,
  looked: { items: number },
): Promise<boolean> {
  const decided = permitsNamespace(permitted, decodeNamespace(namespace));
  if (decided !== undefined) return decided;
  for (let offset = 0; ; offset += SCAN_CHUNK) {
    const rows = await livingItems(db.read, { namespace, offset, now });
    for (const row of rows) {
      if (permitsItem(permitted, placed({ namespace, key: row.key }, parseObject(row.value)))) return true;
    }
    looked.items += rows.length;
    if (looked.items >= PERMITTED_SCAN) throw new BadRequest(SCAN_LIMIT);
    if (rows.length < SCAN_CHUNK) return false;
  }
}

function literalStart(path: string[]): string[] {
  const wildcard = path.indexOf(WILDCARD);
  return wildcard === -1 ? path : path.slice(0, wildcard);
}

function startsWith(labels: string[], path: string[]): boolean {
  return (
    path.length <= labels.length && path.every((label, at) => label === WILDCARD || label === labels[at])
  );
}

function endsWith(labels: string[], path: string[]): boolean {
  return path.length <= labels.length && startsWith(labels.slice(labels.length - path.length), path);
}
