import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { SqlDialect } from "./database/index.ts";
import { BadRequest } from "./errors.ts";

export type JsonObject = Record<string, unknown>;

/** A page of a search, and how many matched before paging. */
export type Page<Row> = { rows: Row[]; total: number };

const MAX_CONDITIONS = 100;
const MAX_DEPTH = 16;
const OPERATORS = new Set(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"]);

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
 * Refuses a containment filter that would become a query too large to run.
 * @throws BadRequest
 */
export function checkContainment(needle: unknown): void {
  if (weigh(needle, 0) > MAX_CONDITIONS) {
    throw new BadRequest(`a filter may hold at most ${MAX_CONDITIONS} conditions, ${MAX_DEPTH} levels deep`);
  }
}

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
 * one does not look into objects and the Python one has neither `$in` nor `$nin`.
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
    Object.keys(condition).every((key) => OPERATORS.has(key))
  );
}

function holds(operator: string, actual: unknown, wanted: unknown): boolean {
  switch (operator) {
    case "$eq":
      return same(actual, wanted);
    case "$ne":
      return !same(actual, wanted);
    case "$gt":
      return Number(actual) > Number(wanted);
    case "$gte":
      return Number(actual) >= Number(wanted);
    case "$lt":
      return Number(actual) < Number(wanted);
    case "$lte":
      return Number(actual) <= Number(wanted);
    case "$in":
      return Array.isArray(wanted) && wanted.some((one) => same(actual, one));
    case "$nin":
      return !Array.isArray(wanted) || !wanted.some((one) => same(actual, one));
    default:
      return false;
  }
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
