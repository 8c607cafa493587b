import type { FaultDetail } from "@berth/store";
import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType as Wrong } from "@sinclair/typebox/errors";

/** The three places a request's values come from; the first element of a fault's `loc`. */
export type RequestPart = "path" | "query" | "body";

type Words = { type: string; msg: string; ctx?: Record<string, unknown> };

const longestEcho = 1_000;

/**
 * A TypeBox error in pydantic's words (docs.pydantic.dev "Validation Errors"), which is what clients of
 * FastAPI servers parse. A union may give several: one for each of its branches.
 */
export function faultsOfError(error: ValueError, root: unknown, place: RequestPart): FaultDetail[] {
  if (error.type === Wrong.Union) return faultsOfUnion(error, root, place);
  const input = error.type === Wrong.ObjectRequiredProperty ? parentOf(error.path, root) : error.value;
  return [{ loc: locOf(error.path, root, place), ...wordsOf(error, place), ...echo(input, error.path) }];
}

/** A choice of literals is one fault; else the branch of the value's own JSON type is the one meant. */
function faultsOfUnion(error: ValueError, root: unknown, place: RequestPart): FaultDetail[] {
  const branches: TSchema[] = error.schema.anyOf ?? [];
  const choices = branches.filter((branch) => branch[Kind] !== "Null");
  const at = { loc: locOf(error.path, root, place), ...echo(error.value, error.path) };
  if (choices.every((branch) => branch[Kind] === "Literal"))
    return [{ ...at, ...oneOf(choices.map((branch) => branch.const)) }];
  const meant = choices.length === 1 ? choices : choices.filter((branch) => suits(branch, error.value));
  const chosen = meant.length > 0 ? meant : choices;
  return chosen.flatMap((branch) => {
    const all = firstOfEachField(error.errors[branches.indexOf(branch)] ?? []);
    // Of several branches none is surely meant: of each, what speaks against it.
    const told = chosen.length === 1 ? all : all.slice(0, 1);
    return told.flatMap((one) => faultsOfError(one, root, place));
  });
}

/** More are not told of. */
const MOST_FIELDS = 100;

/** TypeBox goes on after the first error of a field (a missing one is also "not a string"): one is enough. */
function firstOfEachField(errors: Iterable<ValueError>): ValueError[] {
  const byPath = new Map<string, ValueError>();
  for (const error of errors) {
    if (!byPath.has(error.path)) byPath.set(error.path, error);
    if (byPath.size === MOST_FIELDS) break;
  }
  return [...byPath.values()];
}

function suits(branch: TSchema, value: unknown): boolean {
  if (Array.isArray(value)) return branch.type === "array";
  if (typeof value === "number") return branch.type === "number" || branch.type === "integer";
  return branch.type === typeof value;
}

function wordsOf(error: ValueError, place: RequestPart): Words {
  const { schema, type, value } = error;
  const parsed = place !== "body" && typeof value === "string";
  switch (type) {
    case Wrong.ObjectRequiredProperty:
      return { type: "missing", msg: "Field required" };
    case Wrong.String:
      return { type: "string_type", msg: "Input should be a valid string" };
    case Wrong.Boolean:
      return parsed
        ? { type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input" }
        : { type: "bool_type", msg: "Input should be a valid boolean" };
    case Wrong.Integer:
      return integerWords(value, parsed);
    case Wrong.Number:
      return parsed
        ? { type: "float_parsing", msg: "Input should be a valid number, unable to parse string as a number" }
        : { type: "float_type", msg: "Input should be a valid number" };
    case Wrong.Array:
      return { type: "list_type", msg: "Input should be a valid list" };
    case Wrong.Object:
      return { type: "dict_type", msg: "Input should be a valid dictionary" };
    case Wrong.Null:
      return { type: "none_required", msg: "Input should be None" };
    case Wrong.Literal:
      return oneOf([schema.const]);
    case Wrong.StringFormat:
      return formatWords(schema.format);
    default:
      return limitWords(error);
  }
}

function integerWords(value: unknown, parsed: boolean): Words {
  if (parsed)
    return {
      type: "int_parsing",
      msg: "Input should be a valid integer, unable to parse string as an integer",
    };
  if (typeof value === "number")
    return {
      type: "int_from_float",
      msg: "Input should be a valid integer, got a number with a fractional part",
    };
  return { type: "int_type", msg: "Input should be a valid integer" };
}

function formatWords(format: string): Words {
  if (format === "uuid") return { type: "uuid_parsing", msg: "Input should be a valid UUID" };
  if (format === "date-time" || format === "moment")
    return { type: "datetime_parsing", msg: "Input should be a valid datetime" };
  if (format === "unicode")
    return {
      type: "string_unicode",
      msg: "Input should be a valid string, unable to parse raw data as a unicode string",
    };
  if (format.startsWith("uri")) return { type: "url_parsing", msg: "Input should be a valid URL" };
  return { type: "value_error", msg: `Value error, not a valid ${format}`, ctx: { error: {} } };
}

function limitWords({ schema, type, value, message }: ValueError): Words {
  if (type === Wrong.StringPattern && Array.isArray(schema["x-words"])) return oneOf(schema["x-words"]);
  const limit = limits[type];
  if (limit === undefined) return { type: "value_error", msg: `Value error, ${message}`, ctx: { error: {} } };
  const bound: unknown = schema[limit.keyword];
  return { type: limit.type, msg: limit.msg(bound), ctx: { [limit.ctx]: bound, ...limit.more?.(value) } };
}

type Limit = {
  keyword: string;
  type: string;
  ctx: string;
  msg: (bound: unknown) => string;
  more?: (value: unknown) => Record<string, unknown>;
};

const items = (bound: unknown) => (bound === 1 ? "item" : "items");
const characters = (bound: unknown) => (bound === 1 ? "character" : "characters");
const list = (value: unknown) => ({
  field_type: "List",
  actual_length: Array.isArray(value) ? value.length : 0,
});

const atLeast: Limit = {
  keyword: "minimum",
  type: "greater_than_equal",
  ctx: "ge",
  msg: (bound) => `Input should be greater than or equal to ${bound}`,
};
const atMost: Limit = {
  keyword: "maximum",
  type: "less_than_equal",
  ctx: "le",
  msg: (bound) => `Input should be less than or equal to ${bound}`,
};
const above: Limit = {
  keyword: "exclusiveMinimum",
  type: "greater_than",
  ctx: "gt",
  msg: (bound) => `Input should be greater than ${bound}`,
};
const below: Limit = {
  keyword: "exclusiveMaximum",
  type: "less_than",
  ctx: "lt",
  msg: (bound) => `Input should be less than ${bound}`,
};

const limits: Partial<Record<Wrong, Limit>> = {
  [Wrong.IntegerMinimum]: atLeast,
  [Wrong.NumberMinimum]: atLeast,
  [Wrong.IntegerMaximum]: atMost,
  [Wrong.NumberMaximum]: atMost,
  [Wrong.IntegerExclusiveMinimum]: above,
  [Wrong.NumberExclusiveMinimum]: above,
  [Wrong.IntegerExclusiveMaximum]: below,
  [Wrong.NumberExclusiveMaximum]: below,
  [Wrong.StringMinLength]: {
    keyword: "minLength",
    type: "string_too_short",
    ctx: "min_length",
    msg: (bound) => `String should have at least ${bound} ${characters(bound)}`,
  },
  [Wrong.StringMaxLength]: {
    keyword: "maxLength",
    type: "string_too_long",
    ctx: "max_length",
    msg: (bound) => `String should have at most ${bound} ${characters(bound)}`,
  },
  [Wrong.StringPattern]: {
    keyword: "pattern",
    type: "string_pattern_mismatch",
    ctx: "pattern",
    msg: (bound) => `String should match pattern '${bound}'`,
  },
  [Wrong.ArrayMinItems]: {
    keyword: "minItems",
    type: "too_short",
    ctx: "min_length",
    msg: (bound) => `List should have at least ${bound} ${items(bound)} after validation`,
    more: list,
  },
  [Wrong.ArrayMaxItems]: {
    keyword: "maxItems",
    type: "too_long",
    ctx: "max_length",
    msg: (bound) => `List should have at most ${bound} ${items(bound)} after validation`,
    more: list,
  },
};

/** pydantic writes a choice as `'a', 'b' or 'c'`. */
function oneOf(values: unknown[]): Words {
  const quoted = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const last = quoted.pop() ?? "";
  const expected = quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
  return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
}

function keysOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function locOf(path: string, root: unknown, place: RequestPart): (string | number)[] {
  const loc: (string | number)[] = [place];
  let inside = root;
  for (const key of keysOf(path)) {
    loc.push(Array.isArray(inside) ? Number(key) : key);
    inside = childOf(inside, key);
  }
  return loc;
}

function parentOf(path: string, root: unknown): unknown {
  return keysOf(path).slice(0, -1).reduce(childOf, root);
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/**
 * A plain value goes back to its sender, cut off where it is long. An object or a list never does, nor a body that
 * should have been one: what is in it has other names, and may be anybody's secret. Clients print answers into logs.
 */
function echo(input: unknown, path: string): { input?: unknown } {
  if (input === undefined) return { input: null };
  if (input === null || typeof input === "number" || typeof input === "boolean") return { input };
  if (typeof input === "string") return path === "" ? {} : { input: input.slice(0, longestEcho) };
  return Object.keys(input).length === 0 ? { input } : {};
}
