import type { Database } from "./database.ts";
import { Invalid } from "./errors.ts";
import { type MetadataFilter, permitsColumn } from "./metadata-filter.ts";
import type { Instant } from "./schema.ts";

export type NamespaceSearch = {
  /** Leading labels; `*` stands for any one label. */
  prefix?: string[];
  /** Trailing labels; `*` stands for any one label. */
  suffix?: string[];
  /** Longer namespaces are cut to so many labels. */
  max_depth?: number;
  /** Only namespaces that hold an item whose value these let the caller see. */
  permitted?: MetadataFilter | undefined;
  limit: number;
  offset: number;
};

const CHUNK = 1000;
const WILDCARD = "*";

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

/**
 * The namespaces that hold living items, each once, ordered as their texts are. Reads no more of them than
 * the page needs: cutting to a depth keeps equal results next to each other.
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
  let after = "";
  for (;;) {
    const chunk = await selectChunk(db, { range, after, now, permitted: search.permitted });
    for (const { namespace, living } of chunk) {
      const labels = decodeNamespace(namespace);
      if (!living || !startsWith(labels, prefix) || !endsWith(labels, suffix)) continue;
      const cut = encodeNamespace(labels.slice(0, search.max_depth));
      if (found.at(-1) !== cut) found.push(cut);
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
function selectChunk(
  db: Database,
  {
    range,
    after,
    now,
    permitted,
  }: { range: string; after: string; now: Instant } & Pick<NamespaceSearch, "permitted">,
) {
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
            .where((item) => item.or([item("expires_at", "is", null), item("expires_at", ">", now)]))
            .$if(permitted !== undefined, (items) =>
              items.where((item) => permitsColumn(sql, item.ref("items.value"), permitted ?? { all: [] })),
            ),
        )
        .as("living"),
    ])
    .where("names.namespace", "is not", null)
    .limit(CHUNK)
    .execute();
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
