import { Invalid } from "@berth/store";
import { instantOf } from "./instant.ts";

/**
 * The moment that a field names; undefined where it is left out.
 * @throws Invalid there is no such day
 */
export function momentOf(
  place: "query" | "body",
  field: string,
  text: string | null | undefined,
): number | undefined {
  if (text === undefined || text === null) return undefined;
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const msg = "Input should be a valid datetime, the day does not exist";
  throw new Invalid([{ loc: [place, field], msg, type: "datetime_parsing", input: text }]);
}
