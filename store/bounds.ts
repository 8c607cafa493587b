import { BadRequest } from "./errors.ts";

/** Of one metadata, config, context or namespace: bytes of its JSON in UTF-8. */
export const MOST_BYTES = 65_536;
/** Keys of objects and elements of lists in it, at all levels together. */
export const MOST_ELEMENTS = 1_000;

/** Which bound a value passes. */
export type Passed = "bytes" | "elements";

/**
 * Which of the bounds on metadata, config and context a value passes; undefined where it keeps both. Stops at the
 * first element too many, so that it costs little for a value of any size.
 */
export function passedBound(value: unknown): Passed | undefined {
  const open: unknown[] = [value];
  let elements = 0;
  let characters = 0;
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string") characters += one.length;
    else if (Array.isArray(one)) {
      elements += one.length;
      if (elements > MOST_ELEMENTS) return "elements";
      for (const part of one) open.push(part);
    } else if (one !== null && typeof one === "object") {
      for (const key in one) {
        elements += 1;
        if (elements > MOST_ELEMENTS) return "elements";
        characters += key.length;
        open.push(Reflect.get(one, key));
      }
    }
    if (characters > MOST_BYTES) return "bytes";
  }
  const text = JSON.stringify(value) ?? "";
  return text.length > MOST_BYTES || Buffer.byteLength(text) > MOST_BYTES ? "bytes" : undefined;
}

/**
 * Refuses what a merge makes too large, though each of its parts is not.
 * @param was what is stored: an older version took more, and what does not grow may stay
 * @throws BadRequest
 */
export function checkMerged(name: string, was: object, is: object): void {
  const passed = passedBound(is);
  if (passed === undefined) return;
  if (passedBound(was) !== undefined && JSON.stringify(is).length <= JSON.stringify(was).length) return;
  throw new BadRequest(`${name} would be too large: ${boundWords(passed)}`);
}

/** A bound in words. */
export const boundWords = (passed: Passed): string =>
  passed === "bytes"
    ? `at most ${MOST_BYTES} bytes of JSON`
    : `at most ${MOST_ELEMENTS} keys and elements at all levels`;
