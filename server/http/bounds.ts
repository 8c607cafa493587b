import { boundWords, type FaultDetail, MOST_BYTES, MOST_ELEMENTS, passedBound } from "@berth/store";
import { Kind, type TSchema, Type } from "@sinclair/typebox";

/** An option of a schema: its values keep the bounds on metadata, config and context. */
export const BOUNDED = { "x-max-bytes": MOST_BYTES, "x-max-elements": MOST_ELEMENTS } as const;

/** Metadata and its like: a free-form JSON object within the bounds. */
export const BoundedDictionary = Type.Record(Type.String(), Type.Unknown(), BOUNDED);

/** Of a body whose every part is bounded, ten thousand ids among them. */
export const SMALL_BODY_BYTES = 1_048_576;

/** As large as one blob of an image may be, whatever the workspace may have. */
export const BLOB_BYTES = 32 * 2 ** 30;

type Place = (string | number)[];
type Check = (value: unknown, place: Place, faults: FaultDetail[]) => void;

/**
 * Finds what is larger than its schema lets it be, at the cost of what is within the bounds: it comes before
 * anything that walks values to their end. Undefined for a schema that bounds nothing.
 */
export function boundsOf(schema: TSchema): ((body: unknown) => FaultDetail[]) | undefined {
  const check = checkOf(schema);
  if (check === undefined) return undefined;
  return (body) => {
    const faults: FaultDetail[] = [];
    check(body, ["body"], faults);
    return faults;
  };
}

const boundCheck: Check = (value, place, faults) => {
  const passed = passedBound(value);
  if (passed === undefined) return;
  const bound = passed === "bytes" ? MOST_BYTES : MOST_ELEMENTS;
  const msg = `Value should hold ${boundWords(passed)}`;
  faults.push({ loc: place, msg, type: "too_long", ctx: { max_length: bound } });
};

const MOST_FAULTS = 100;

function checkOf(schema: TSchema): Check | undefined {
  if (schema["x-max-elements"] !== undefined) return boundCheck;
  if (schema[Kind] === "Union") {
    const [check] = (schema.anyOf as TSchema[]).flatMap((branch) => checkOf(branch) ?? []);
    return check;
  }
  if (schema[Kind] === "Array") return listCheck(checkOf(schema.items));
  if (schema[Kind] !== "Object") return undefined;
  const fields = Object.entries<TSchema>(schema.properties).flatMap(([name, field]) => {
    const check = checkOf(field);
    return check ? [{ name, check }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, place, faults) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const { name, check } of fields)
      if (Object.hasOwn(value, name)) check(Reflect.get(value, name), [...place, name], faults);
  };
}

/** The longest list that is looked at element by element, where a schema does not say less. */
const MOST_ITEMS = 10_000;

function listCheck(check: Check | undefined): Check {
  return (value, place, faults) => {
    if (!Array.isArray(value)) return;
    if (value.length > MOST_ITEMS) {
      const msg = `List should have at most ${MOST_ITEMS} items after validation, not ${value.length}`;
      faults.push({ loc: place, msg, type: "too_long", ctx: { max_length: MOST_ITEMS } });
      return;
    }
    if (check === undefined) return;
    for (const [index, one] of value.entries()) {
      if (faults.length >= MOST_FAULTS) return;
      check(one, [...place, index], faults);
    }
  };
}
