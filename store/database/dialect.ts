import { type Expression, type ExpressionWrapper, expressionBuilder, type SqlBool, sql } from "kysely";
import { MOST_BYTES } from "../bounds.ts";

/** What differs between databases, behind one interface, so that no repository knows which one it talks to. */
export interface SqlDialect {
  readonly name: "sqlite" | "postgres";
  /** JSON containment, objects and arrays recursively, as Postgres' `@>` defines it. */
  jsonContains(column: Expression<string>, needle: unknown): Expression<SqlBool>;
  /** True where a top-level key of a JSON column has exactly this value; the order of members does not matter. */
  jsonEquals(column: Expression<string>, key: string, value: unknown): Expression<SqlBool>;
  /** True where a text column begins with `prefix`, taken literally. */
  startsWith(column: Expression<string>, prefix: string): Expression<SqlBool>;
  /** The same, but for `prefix` itself. */
  extends(column: Expression<string>, prefix: string): Expression<SqlBool>;
  /** True where a text column has `part` somewhere in it, taken literally. */
  containsText(column: Expression<string>, part: string): Expression<SqlBool>;
  /** Text at a top-level key of a JSON column; null where it is missing. */
  jsonText(column: Expression<string>, key: string): Expression<string | null>;
}

/** Characters of a document that a list is looked for in, for one walk over it. */
const MOST_SEARCHED = 1_048_576;

/** A JSON string, because SQLite reads escapes in a quoted path label as it does in the document's keys. */
const label = (key: string) => `.${JSON.stringify(key)}`;

/**
 * SQLite has no containment operator: the needle is unfolded into tests on its leaves.
 * @param depth arrays around this place; each level's rows need a name of their own
 */
function sqliteContains(
  haystack: Expression<unknown>,
  needle: unknown,
  path = "$",
  depth = 0,
): Expression<SqlBool> {
  if (Array.isArray(needle)) {
    const others = needle.filter((element) => !isScalar(element));
    const elements = others.map((element) => sqliteHasElement(haystack, path, element, depth));
    const scalars = sqliteHasScalars(haystack, path, needle.filter(isScalar));
    const small = depth === 0 ? [isSearchable(haystack, others.length)] : [];
    return all([...small, ofType(haystack, path, "array"), ...scalars, ...elements]);
  }
  if (needle !== null && typeof needle === "object") {
    const members = Object.entries(needle).flatMap(([key, value]) => {
      const member = sqliteContains(haystack, value, path + label(key), depth);
      return depth === 0 && isScalar(value) ? [mentions(haystack, key, value), member] : [member];
    });
    // A member that was found says by itself that it is in an object.
    return members.length > 0 ? all(members) : ofType(haystack, path, "object");
  }
  // Our columns hold what JSON.stringify wrote, so equal scalars have equal texts, and one look at a row will do.
  if (depth === 0) return sql<SqlBool>`(${haystack} -> ${path} = ${JSON.stringify(needle)})`;
  if (needle === null) return ofType(haystack, path, "null");
  if (typeof needle === "boolean") return ofType(haystack, path, needle ? "true" : "false");
  if (typeof needle === "string" && !needle.isWellFormed())
    return sql<SqlBool>`(json_type(${haystack}, ${path}) is 'text' and cast(json_extract(${haystack}, ${path}) as blob) = ${sqliteBytes(needle)})`;
  const types = typeof needle === "string" ? ["text"] : ["integer", "real"];
  return sql<SqlBool>`(json_type(${haystack}, ${path}) in (${sql.join(types)}) and json_extract(${haystack}, ${path}) = ${needle})`;
}

/**
 * The bytes that SQLite decodes a JSON string to. Half of a surrogate pair becomes three bytes, while a bound text has
 * U+FFFD in its place.
 */
function sqliteBytes(text: string): Uint8Array {
  const bytes = [...text].map((character) => {
    const code = character.charCodeAt(0);
    if (character.isWellFormed()) return Buffer.from(character);
    return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
  });
  return Buffer.concat(bytes);
}

const isScalar = (value: unknown) => value === null || typeof value !== "object";

/**
 * A look at the text before the JSON is taken apart, three times as fast: a document that holds the member holds
 * these characters, since our columns hold what JSON.stringify wrote.
 */
function mentions(haystack: Expression<unknown>, key: string, value: unknown): Expression<SqlBool> {
  return sql<SqlBool>`(instr(${haystack}, ${memberText(key, value)}) > 0)`;
}

/**
 * Each list is gone through for each object or list that is looked for in it. What is stored today is smaller than
 * the least of these sizes; what an older version stored may not be, and is not gone through.
 */
function isSearchable(haystack: Expression<unknown>, times: number): Expression<SqlBool> {
  const longest = Math.max(MOST_BYTES, Math.floor(MOST_SEARCHED / Math.max(1, times)));
  return sql<SqlBool>`(length(${haystack}) <= ${longest})`;
}

/** All of them in one walk over the list for each of their types, however many they are. */
function sqliteHasScalars(
  haystack: Expression<unknown>,
  path: string,
  scalars: readonly unknown[],
): Expression<SqlBool>[] {
  const distinct = [...new Set(scalars)];
  const walk = (types: string[], values: readonly unknown[]): Expression<SqlBool> =>
    sql<SqlBool>`(select count(distinct each.value) from json_each(${haystack}, ${path}) as each where each.type in (${sql.join(types)}) and each.value in (${sql.join(values)})) = ${values.length}`;
  const holds = (type: string): Expression<SqlBool> =>
    sql<SqlBool>`exists (select 1 from json_each(${haystack}, ${path}) as each where each.type = ${type})`;
  const texts = distinct.filter((one) => typeof one === "string" && one.isWellFormed());
  const halves = distinct.filter((one) => typeof one === "string" && !one.isWellFormed()) as string[];
  const numbers = distinct.filter((one) => typeof one === "number");
  return [
    ...(texts.length > 0 ? [walk(["text"], texts)] : []),
    ...(numbers.length > 0 ? [walk(["integer", "real"], numbers)] : []),
    ...halves.map(
      (half) =>
        sql<SqlBool>`exists (select 1 from json_each(${haystack}, ${path}) as each where each.type = 'text' and cast(each.value as blob) = ${sqliteBytes(half)})`,
    ),
    ...[null, true, false].filter((one) => distinct.includes(one)).map((one) => holds(String(one))),
  ];
}

function sqliteHasElement(
  haystack: Expression<unknown>,
  path: string,
  element: unknown,
  depth: number,
): Expression<SqlBool> {
  const row = sql.ref(`e${depth}`);
  const type = sql`${row}.type`;
  const value = sql`${row}.value`;
  // A one-element array carries the value into its own JSON form, whatever its type.
  const carried = sql`json_array(case when ${type} in ('true', 'false') then json(${type}) when ${type} in ('object', 'array') then json(${value}) else ${value} end)`;
  return sql<SqlBool>`exists (select 1 from json_each(${haystack}, ${path}) as ${row} where ${sqliteContains(carried, element, "$[0]", depth + 1)})`;
}

/** Two values are the same when they have the same leaves at the same places. */
function sqliteEquals(column: Expression<string>, key: string, value: unknown): Expression<SqlBool> {
  const member = sql`${column} -> ${`$${label(key)}`}`;
  const wanted = JSON.stringify(value);
  if (isScalar(value)) return sql<SqlBool>`(${member} = ${wanted})`;
  const leaves = (json: Expression<unknown>) => sql`select fullkey, type, atom from json_tree(${json})`;
  const theirs = leaves(member);
  const ours = leaves(sql`${wanted}`);
  return sql<SqlBool>`(not exists (${theirs} except ${ours}) and not exists (${ours} except ${theirs}))`;
}

function ofType(haystack: Expression<unknown>, path: string, type: string): Expression<SqlBool> {
  return sql<SqlBool>`(json_type(${haystack}, ${path}) is ${type})`;
}

function all(parts: Expression<SqlBool>[]): ExpressionWrapper<never, never, SqlBool> {
  return expressionBuilder<never, never>().and(parts);
}

export const sqlite: SqlDialect = {
  name: "sqlite",
  jsonContains: sqliteContains,
  jsonEquals: sqliteEquals,
  // A range, not LIKE: it uses the index and knows no wildcards. 1114111 is the last code point.
  startsWith: (column, prefix) =>
    sql<SqlBool>`(${column} >= ${prefix} and ${column} < ${prefix} || char(1114111))`,
  extends: (column, prefix) =>
    sql<SqlBool>`(${column} > ${prefix} and ${column} < ${prefix} || char(1114111))`,
  containsText: (column, part) => sql<SqlBool>`(instr(${column}, ${part}) > 0)`,
  // What is no JSON has no keys: one row that a broken disk or program left must not fail a whole list.
  jsonText: (column, key) =>
    sql<string | null>`iif(json_valid(${column}), json_extract(${column}, ${`$${label(key)}`}), null)`,
};

/**
 * How JSON writes what `jsonb` does not accept: U+0000 and half of a surrogate pair. The pattern means the same in
 * JavaScript and in Postgres.
 */
const NO_JSONB = String.raw`(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})`;
const NO_JSONB_PATTERN = new RegExp(NO_JSONB, "g");

/** A noncharacter, which stands for the escape in documents and in what is looked for. */
const STAND_IN = "\uffff";

/** JSON of a value to look for, as `jsonb` accepts it. */
const toJsonb = (value: unknown): string =>
  JSON.stringify(value).replace(NO_JSONB_PATTERN, `$1${STAND_IN}$2`);

/** A document as `jsonb`; the second try is for one that `jsonb` does not accept as it is. */
function documentAsJsonb(column: Expression<string>): Expression<unknown> {
  const accepted = sql`regexp_replace(${column}, ${NO_JSONB}, ${`\\1${STAND_IN}\\2`}, 'g')`;
  return sql`coalesce(berth_jsonb(${column}), case when strpos(${column}, ${"\\u"}) > 0 then berth_jsonb(${accepted}) end)`;
}

/**
 * A column as JSON. One row that a broken disk or program left is no match, and does not fail a whole list.
 * @param told texts that whatever is looked for has in it: the others are not taken apart, which costs more than a look
 */
function asJsonb(column: Expression<string>, told: readonly string[] = []): Expression<unknown> {
  if (told.length === 0) return documentAsJsonb(column);
  const isTold = told.map((text) => sql`strpos(${column}, ${text}) > 0`);
  return sql`(case when ${sql.join(isTold, sql` and `)} then ${documentAsJsonb(column)} end)`;
}

/** How our columns, which hold what JSON.stringify wrote, tell of a member. */
const memberText = (key: string, value: unknown): string =>
  `${JSON.stringify(key)}:${isScalar(value) ? JSON.stringify(value) : ""}`;

const isObject = (value: unknown): value is object =>
  value !== null && typeof value === "object" && !Array.isArray(value);

export const postgres: SqlDialect = {
  name: "postgres",
  jsonContains: (column, needle) => {
    const wanted = toJsonb(needle);
    const told = isObject(needle) ? Object.entries(needle).map(([key, value]) => memberText(key, value)) : [];
    return sql<SqlBool>`coalesce(${asJsonb(column, told)} @> ${wanted}::text::jsonb, false)`;
  },
  jsonEquals: (column, key, value) => {
    const wanted = toJsonb(value);
    return sql<SqlBool>`coalesce(${asJsonb(column, [memberText(key, value)])} -> ${key} = ${wanted}::text::jsonb, false)`;
  },
  // Columns are ordered by their bytes: see the migration.
  startsWith: (column, prefix) =>
    sql<SqlBool>`(${column} >= ${prefix} and ${column} < ${prefix}::text || chr(1114111))`,
  extends: (column, prefix) =>
    sql<SqlBool>`(${column} > ${prefix} and ${column} < ${prefix}::text || chr(1114111))`,
  containsText: (column, part) => sql<SqlBool>`(strpos(${column}, ${part}) > 0)`,
  jsonText: (column, key) => sql<string | null>`(berth_jsonb(${column}) ->> ${key})`,
};
