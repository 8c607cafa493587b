/** A copy of values that can change within, to tell later whether they have. */
export type ValueCopy = { keys: readonly string[]; values: readonly unknown[] };

/** Values that are compared, all that lie within one counted: to encode more of them again is as cheap. */
const MOST_VALUES = 200;

/** More than is compared, or what JSON does not show by its keys. */
class CannotCompare extends Error {}

/**
 * A copy of an object's values; undefined where they are too many, or of no plain kind (a class may change unseen).
 * @param valueAt what it has at a key
 */
export function copyOf(keys: readonly string[], valueAt: (key: string) => unknown): ValueCopy | undefined {
  const budget = { left: MOST_VALUES };
  try {
    return { keys, values: keys.map((key) => copied(valueAt(key), budget)) };
  } catch (error) {
    if (error instanceof CannotCompare) return undefined;
    throw error;
  }
}

function copied(value: unknown, budget: { left: number }): unknown {
  budget.left -= 1;
  if (budget.left < 0) throw new CannotCompare();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => copied(one, budget));
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new CannotCompare();
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = copied((value as Record<string, unknown>)[key], budget);
  return copy;
}

/** Whether an object has the values still, in the same order, of which there is a copy. */
export function isStill(
  copy: ValueCopy,
  keys: readonly string[],
  valueAt: (key: string) => unknown,
): boolean {
  if (keys.length !== copy.keys.length) return false;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    if (key !== copy.keys[at] || !isSame(copy.values[at], valueAt(key))) return false;
  }
  return true;
}

/** @param before copied, so it has neither cycles nor classes */
function isSame(before: unknown, now: unknown): boolean {
  if (typeof before !== "object" || before === null) return Object.is(before, now);
  if (typeof now !== "object" || now === null) return false;
  if (Array.isArray(before))
    return (
      Array.isArray(now) && now.length === before.length && before.every((one, at) => isSame(one, now[at]))
    );
  if (Object.getPrototypeOf(now) !== Object.prototype) return false;
  const [was, is] = [before as Record<string, unknown>, now as Record<string, unknown>];
  let left = 0;
  for (const key in is) {
    if (!(key in was) || !isSame(was[key], is[key])) return false;
    left += 1;
  }
  for (const _ in was) left -= 1;
  return left === 0;
}
