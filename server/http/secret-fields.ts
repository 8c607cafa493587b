import type { FaultDetail } from "@berth/store";
import type { TSchema } from "@sinclair/typebox";

/** An option of a schema: its values never go back to whoever sent them. Clients print answers into logs. */
export const SECRET_FIELD = { "x-secret": true } as const;

/** Leaves out what was sent where it is a secret, or has one in it. */
export function withoutSecrets(schema: TSchema, fault: FaultDetail): FaultDetail {
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
