import type { MetadataFilter } from "@berth/store";
import { isRecord } from "../record.ts";

const LISTS = { $and: "all", $or: "any" } as const;
const DEEPEST = 16;

/**
 * What a handler's answer says of the resources that may be seen: `{key: value}`, `{key: {$eq: value}}`,
 * `{key: {$contains: value or values}}`, `{key: {nested: value}}`, all of which must hold, and `$and`, `$or` over
 * lists of these. Undefined when it says nothing.
 * @throws TypeError for what would let through more than its writer meant, an undefined value above all
 */
export function readAuthFilter(answer: Record<string, unknown>): MetadataFilter | undefined {
  if (Object.keys(answer).length === 0) return undefined;
  return filterOf(answer, 0);
}

function filterOf(answer: Record<string, unknown>, depth: number): MetadataFilter {
  if (depth > DEEPEST) throw new TypeError("an auth filter is nested too deeply");
  const parts = Object.entries(answer).map(([name, wanted]): MetadataFilter => {
    if (name === "$and" || name === "$or") return joined(name, wanted, depth);
    if (name.startsWith("$"))
      throw new TypeError(`an auth filter has an operator ${name} where a key belongs`);
    return { contain: { [name]: containedBy(name, wanted, depth) } };
  });
  const [first] = parts;
  return parts.length === 1 && first ? first : merged(parts);
}

/** Plain conditions as one: that is what a search by labels can use. */
function merged(parts: MetadataFilter[]): MetadataFilter {
  const contain = parts.flatMap((part) => ("contain" in part ? [part.contain] : []));
  const rest = parts.filter((part) => !("contain" in part));
  const plain: MetadataFilter = { contain: Object.assign({}, ...contain) };
  return rest.length === 0 ? plain : { all: [plain, ...rest] };
}

function joined(name: keyof typeof LISTS, wanted: unknown, depth: number): MetadataFilter {
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every(isRecord))
    throw new TypeError(`${name} of an auth filter must be a list of filters`);
  const parts = wanted.map((part: Record<string, unknown>) => filterOf(part, depth + 1));
  return name === "$and" ? { all: parts } : { any: parts };
}

/** The JSON that the member must contain, in the sense of Postgres' `@>`. */
function containedBy(name: string, wanted: unknown, depth: number): unknown {
  if (isScalar(wanted)) return wanted;
  if (depth > DEEPEST || !isRecord(wanted) || Object.keys(wanted).length === 0) throw unclear(name);
  const operators = Object.keys(wanted).filter((key) => key.startsWith("$"));
  if (operators.length === 0) {
    const nested = Object.entries(wanted).map(([key, value]) => [
      key,
      containedBy(`${name}.${key}`, value, depth + 1),
    ]);
    return Object.fromEntries(nested);
  }
  const [operator] = operators;
  if (operators.length > 1 || Object.keys(wanted).length > 1) throw unclear(name);
  if (operator === "$eq" && isScalar(wanted.$eq)) return wanted.$eq;
  if (operator !== "$contains") throw unclear(name);
  const elements = Array.isArray(wanted.$contains) ? wanted.$contains : [wanted.$contains];
  if (elements.length === 0 || !elements.every(isScalar)) throw unclear(name);
  return elements;
}

const isScalar = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const unclear = (name: string) =>
  new TypeError(
    `the auth filter of "${name}" must be a value, {$eq: value}, {$contains: value or values} or nested keys`,
  );
