import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { SqlDialect } from "./database/index.ts";
import { BadRequest, Invalid } from "./errors.ts";

export type JsonObject = Record<string, unknown>;

/** A page of a search, and how many matched before paging. */
export type Page<Row> = { rows: Row[]; total: number };

const MAX_CONDITIONS = 100;
const MAX_DEPTH = 16;
/** Operators of a store filter that take any value, a number or a text, and a list. */
const EQUALITY = new Set(["$eq", "$ne"]);
const ORDERING = new Set(["$gt", "$gte", "$lt", "$lte"]);
const MEMBERSHIP = new Set(["$in", "$nin"]);
const OPERATORS = [...EQUALITY, ...ORDERING, ...MEMBERSHIP];

/** Reads the text of a JSON column that always holds an object. */
export function parseObject(text: string): JsonObject {
  return text === "{}" ? {} : JSON.parse(text);
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Containment of one JSON value in another, as Postgres' `@>` defines it below the top level. */
export function containsJson(haystack: unknown, needle: unknown): boolean {
  if (Array.isArray(needle)) {
    if (!Array.isArray(haystack)) return false;
    // One walk for all that can be looked up, however many they are.
    const has = needle.length > 1 ? new Set(haystack) : undefined;
    return needle.every((wanted) =>
      has && (wanted === null || typeof wanted !== "object")
        ? has.has(wanted)
        : haystack.some((element) => containsJson(element, wanted)),
    );
  }
  if (isObject(needle)) {
    return (
      isObject(haystack) &&
      Object.entries(needle).every(
        ([key, wanted]) => Object.hasOwn(haystack, key) && containsJson(haystack[key], wanted),
      )
    );
  }
  return haystack === needle;
}

/**
 * Checks a containment filter, which consists of plain values.
 * @param field the member of the body that holds the filter
 * @throws BadRequest it would become a query too large to run
 * @throws Invalid it has an operator, which containment would take for the name of a member
 */
export function checkContainment(needle: unknown, field = "metadata"): void {
  checkWeight(needle);
  refuseOperators(needle, field);
}

function checkWeight(filter: unknown): void {
  if (weigh(filter, 0) > MAX_CONDITIONS) {
    throw new BadRequest(`a filter may hold at most ${MAX_CONDITIONS} conditions, ${MAX_DEPTH} levels deep`);
  }
}

type FilterPath = string[];

/**
 * Refuses operators in a containment filter.
 * @throws Invalid
 */
export function refuseOperators(needle: unknown, ...path: FilterPath): void {
  if (needle === null || typeof needle !== "object") return;
  for (const [key, part] of Object.entries(needle)) {
    if (key.startsWith("$"))
      throw invalidFilter(
        [...path, key],
        `Unsupported operator ${key}: this filter takes plain values only`,
        part,
      );
    refuseOperators(part, ...path, key);
  }
}

/**
 * Checks a store filter.
 * @throws BadRequest it is too large
 * @throws Invalid it has an unknown operator, or a value that an operator cannot compare
 */
export function checkStoreFilter(filter: JsonObject): void {
  checkWeight(filter);
  checkConditions(filter, ["filter"]);
}

function checkConditions(conditions: JsonObject, path: FilterPath): void {
  const names = Object.keys(conditions);
  const isKeys = path.length === 1 || !names.some((name) => name.startsWith("$"));
  for (const [name, wanted] of Object.entries(conditions)) {
    const at = [...path, name];
    if (isKeys) {
      if (name.startsWith("$"))
        throw invalidFilter(at, `Unsupported operator ${name} in the place of a key`, wanted);
      if (isObject(wanted)) checkConditions(wanted, at);
    } else checkOperator(name, wanted, at);
  }
}

function checkOperator(name: string, wanted: unknown, at: FilterPath): void {
  if (!OPERATORS.includes(name))
    throw invalidFilter(at, `Unsupported operator ${name}: use ${OPERATORS.join(", ")}`, wanted);
  if (ORDERING.has(name) && typeof wanted !== "number" && typeof wanted !== "string")
    throw invalidFilter(at, `${name} compares with a number or a text`, wanted);
  if (MEMBERSHIP.has(name) && !Array.isArray(wanted))
    throw invalidFilter(at, `${name} compares with a list of values`, wanted);
}

const invalidFilter = (path: FilterPath, msg: string, input: unknown) =>
  new Invalid([{ loc: ["body", ...path], msg, type: "value_error", input }]);

function weigh(needle: unknown, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  if (needle === null || typeof needle !== "object") return 1;
  let weight = 1;
  for (const part of Object.values(needle)) {
    weight += weigh(part, depth + 1);
    if (weight > MAX_CONDITIONS) break;
  }
  return weight;
}

/**
 * Tests an item's value against a store filter: every key must hold, and a condition is either a plain value
 * (equality), an object of operators `$eq $ne $gt $gte $lt $lte $in $nin` that must all hold, or an object of
 * further conditions on what is in there. The meaning is that of LangGraph's own stores, of which the JavaScript
 * one does not look into objects and the Python one has neither `$in` nor `$nin`. Unlike them, the ordering operators
 * compare numbers with numbers and texts with texts only: null is not less than 1.
 */
export function matchesFilter(value: JsonObject, filter: JsonObject): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    const actual = Object.hasOwn(value, key) ? value[key] : undefined;
    if (isOperators(condition)) {
      return Object.entries(condition).every(([operator, wanted]) => holds(operator, actual, wanted));
    }
    if (isObject(condition)) return isObject(actual) && matchesFilter(actual, condition);
    return same(actual, condition);
  });
}

/** The conditions of a store filter that are equality with a scalar and no more: these a database can test. */
export function scalarEqualities(filter: JsonObject): JsonObject {
  const scalars: JsonObject = {};
  for (const [key, wanted] of Object.entries(filter)) {
    if (wanted === null || ["string", "number", "boolean"].includes(typeof wanted)) scalars[key] = wanted;
  }
  return scalars;
}

function isOperators(condition: unknown): condition is JsonObject {
  return (
    isObject(condition) &&
    Object.keys(condition).length > 0 &&
    Object.keys(condition).every((key) => OPERATORS.includes(key))
  );
}

function holds(operator: string, actual: unknown, wanted: unknown): boolean {
  switch (operator) {
    case "$eq":
      return same(actual, wanted);
    case "$ne":
      return !same(actual, wanted);
    case "$in":
      return Array.isArray(wanted) && wanted.some((one) => same(actual, one));
    case "$nin":
      return Array.isArray(wanted) && !wanted.some((one) => same(actual, one));
    default:
      return isInOrder(operator, order(actual, wanted));
  }
}

/** Less than, equal to or greater than 0, as `actual` is to `wanted`; undefined where they have no order. */
function order(actual: unknown, wanted: unknown): number | undefined {
  if (typeof actual === "number" && typeof wanted === "number") return actual - wanted;
  if (typeof actual !== "string" || typeof wanted !== "string") return undefined;
  return actual === wanted ? 0 : actual < wanted ? -1 : 1;
}

function isInOrder(operator: string, order: number | undefined): boolean {
  if (order === undefined) return false;
  if (operator === "$gt") return order > 0;
  if (operator === "$gte") return order >= 0;
  if (operator === "$lt") return order < 0;
  return operator === "$lte" && order <= 0;
}

function same(actual: unknown, wanted: unknown): boolean {
  if (actual === wanted) return true;
  if (actual === null || wanted === null || typeof actual !== "object" || typeof wanted !== "object") {
    return false;
  }
  return Bun.deepEquals(actual, wanted, true);
}

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
