import { Invalid } from "@berth/store";

/** ISO 8601, UTC, milliseconds. */
export function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}

export const isoTimeOrNull = (instant: number | null): string | null =>
  instant === null ? null : isoTime(instant);

const written = /^(?<day>\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(?<offset>Z|[+-]\d\d:?\d\d)?$/i;

/** The moment that a `date-time` names, UTC without an offset; undefined where it names none. */
export function instantOf(text: string): number | undefined {
  const { day, offset } = written.exec(text)?.groups ?? {};
  const midnight = day === undefined ? Number.NaN : Date.parse(day);
  // A thirtieth of February would be read as a day in March.
  if (Number.isNaN(midnight) || isoTime(midnight).slice(0, 10) !== day) return undefined;
  const instant = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

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
