import type { FaultDetail } from "@berth/store";
import { FormatRegistry, Kind, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { faultsOfError, type RequestPart } from "./faults.ts";

/** A compiled schema: defaults filled in, then either the value or what is wrong with it. */
type Validator = {
  /** Adds the schema's defaults to `value` (in place for objects) and returns it. */
  withDefaults(value: unknown): unknown;
  accepts(value: unknown): boolean;
  /** Takes out, in place, what the schema does not name. `value` is accepted. */
  prune(value: unknown): void;
  /** A fault of each field that the schema does not name, at most 100. Their values are not repeated. */
  unknown(value: unknown): FaultDetail[];
  /** Every fault of a value that is not accepted, at most 100. */
  faults(value: unknown): FaultDetail[];
};

const mostFaults = 100;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** String formats that our schemas name; each says whether a text has it. */
const formats: Record<string, (text: string) => boolean> = {
  uuid: (text) => uuid.test(text),
  // Half a surrogate pair: a database would store another text, the same one for each of them.
  unicode: (text) => text.isWellFormed(),
  "date-time": (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
  // As pydantic reads a `datetime`: a day will do.
  moment: (text) => formats["date-time"]?.(/^[\d-]{10}$/.test(text) ? `${text}T00:00Z` : text) === true,
  uri: (text) => URL.canParse(text),
  "uri-reference": (text) => URL.canParse(text, "http://localhost/"),
};

// Elysia has formats of these names too, and takes other texts for them: whoever is loaded last must not decide.
for (const [name, accepts] of Object.entries(formats)) FormatRegistry.Set(name, accepts);

/** Compiles `schema`, whose values were found at `place`. */
export function validator(schema: TSchema, place: RequestPart): Validator {
  const compiled = TypeCompiler.Compile(schema);
  const fill = fillerOf(schema);
  const eachUnknown = unknownWalkOf(schema);
  return {
    withDefaults: (value) => {
      fill?.(value);
      return value;
    },
    accepts: (value) => compiled.Check(value),
    prune: (value) => eachUnknown?.(value, [], (fields, name) => delete fields[name]),
    unknown: (value) => {
      const faults: FaultDetail[] = [];
      eachUnknown?.(value, [place], (_, name, at) => {
        if (faults.length < mostFaults) faults.push(extraForbidden([...at, name]));
      });
      return faults;
    },
    faults: (value) => collect(compiled, value, place).map((fault) => withoutSecrets(schema, fault)),
  };
}

function collect(compiled: TypeCheck<TSchema>, value: unknown, place: RequestPart): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const seen = new Set<string>();
  for (const error of compiled.Errors(value)) {
    // TypeBox goes on after the first error of a field (a missing one is also "not a string"): one is enough.
    if (seen.has(error.path)) continue;
    seen.add(error.path);
    faults.push(...faultsOfError(error, value, place));
    if (faults.length >= mostFaults) break;
  }
  return faults.slice(0, mostFaults);
}

/** In pydantic's words, for a model that forbids what it does not name. */
const extraForbidden = (loc: FaultDetail["loc"]): FaultDetail => ({
  loc,
  msg: "Extra inputs are not permitted",
  type: "extra_forbidden",
});

type Fields = Record<string, unknown>;
/** Gets an object, the name of its field, and the place of the object. */
type OnUnknown = (fields: Fields, name: string, at: FaultDetail["loc"]) => void;
/** Calls back for each field of a value that its schema does not name. */
type UnknownWalk = (value: unknown, at: FaultDetail["loc"], on: OnUnknown) => void;

/**
 * The walk over a value of a schema; undefined where everything is named: in a dictionary, in what may be anything,
 * and in an object that says `additionalProperties: true`. So a handler that passes a body on passes on what is
 * declared, and nothing else. Where an object may have one of several forms, a field of any of them is named.
 */
function unknownWalkOf(schema: TSchema): UnknownWalk | undefined {
  const forms = formsOf(schema);
  const objects = forms.filter((form) => form[Kind] === "Object");
  const lists = forms.filter((form) => form[Kind] === "Array");
  const ofObject = forms.some(isFree) ? undefined : unknownInObject(objects);
  const ofItems = lists.length === 1 && lists[0] ? unknownWalkOf(lists[0].items) : undefined;
  if (!ofObject && !ofItems) return undefined;
  return (value, at, on) => {
    if (Array.isArray(value)) {
      if (ofItems) for (const [index, item] of value.entries()) ofItems(item, [...at, index], on);
    } else if (isObject(value)) ofObject?.(value, at, on);
  };
}

/** What a value may be, one by one. */
function formsOf(schema: TSchema): TSchema[] {
  if (schema[Kind] === "Union") return (schema.anyOf as TSchema[]).flatMap(formsOf);
  return [schema];
}

/** Whether any object fits it, with whatever fields. */
function isFree(schema: TSchema): boolean {
  const kind = schema[Kind];
  if (kind === "Object") return schema.additionalProperties === true;
  return !PLAIN.has(kind);
}

/** No object is one of these. Of any other kind nothing is known: it stays as it is. */
const PLAIN = new Set(["Array", "Boolean", "Integer", "Literal", "Null", "Number", "String", "Tuple"]);

function unknownInObject(forms: TSchema[]) {
  if (forms.length === 0) return undefined;
  const fields = forms.flatMap((form) => Object.entries<TSchema>(form.properties));
  const known = new Set(fields.map(([name]) => name));
  // A field that two forms have may be something else in each.
  const inside = fields.flatMap(([name, field]) => {
    const isShared = fields.filter(([other]) => other === name).length > 1;
    const walk = isShared ? undefined : unknownWalkOf(field);
    return walk ? [{ name, walk }] : [];
  });
  return (value: Fields, at: FaultDetail["loc"], on: OnUnknown) => {
    for (const name of Object.keys(value)) if (!known.has(name)) on(value, name, at);
    for (const { name, walk } of inside) walk(value[name], [...at, name], on);
  };
}

/** Puts the defaults of a schema into a value, in place; what has another shape stays as it is. */
type Filler = (value: unknown) => void;

/**
 * The filler of a schema, undefined where it has no defaults: of members of objects, at any depth, and of what may
 * be null instead. Not TypeBox's own: that one copies what it passes, and loses members that are called `__proto__`.
 */
function fillerOf(schema: TSchema): Filler | undefined {
  const { [Kind]: kind, properties } = meantBy(schema);
  if (kind !== "Object") return undefined;
  const fields = Object.entries<TSchema>(properties)
    .map(([name, field]) => ({ name, fallback: fallbackOf(field), fill: fillerOf(field) }))
    .filter(({ fallback, fill }) => fallback !== undefined || fill !== undefined);
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const { name, fallback, fill } of fields) {
      if (value[name] === undefined && fallback !== undefined) value[name] = structuredClone(fallback);
      fill?.(value[name]);
    }
  };
}

const fallbackOf = (schema: TSchema): unknown => schema.default ?? meantBy(schema).default;

/** What may be null stands for what it is otherwise. */
function meantBy(schema: TSchema): TSchema {
  if (schema[Kind] !== "Union") return schema;
  const [only, ...others] = (schema.anyOf as TSchema[]).filter((branch) => branch[Kind] !== "Null");
  return only && others.length === 0 ? only : schema;
}

/** An array has a `values` and a `filter` that are no fields of anybody's. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An option of a schema: its values never go back to whoever sent them. Clients print answers into logs. */
export const SECRET_FIELD = { "x-secret": true } as const;

/** Leaves out what was sent where it is a secret, or has one in it. */
function withoutSecrets(schema: TSchema, fault: FaultDetail): FaultDetail {
  const { input: _, ...others } = fault;
  const [, ...keys] = fault.loc;
  // What is missing has no value: the one that is sent back is the object around it.
  const path = fault.type === "missing" ? keys.slice(0, -1) : keys;
  return holdsSecret(schema, path) ? others : fault;
}

function holdsSecret(schema: TSchema, [key, ...keys]: readonly (string | number)[]): boolean {
  if (schema["x-secret"] === true) return true;
  const { properties = {}, patternProperties = {}, items, anyOf = [], allOf = [] } = schema;
  const branches: TSchema[] = [...anyOf, ...allOf];
  if (branches.some((branch) => holdsSecret(branch, key === undefined ? [] : [key, ...keys]))) return true;
  const others: TSchema[] = [...Object.values<TSchema>(patternProperties), ...(items ? [items] : [])];
  if (key !== undefined)
    return [properties[key] ?? others].flat().some((inside) => holdsSecret(inside, keys));
  return [...Object.values<TSchema>(properties), ...others].some((inside) => holdsSecret(inside, []));
}
