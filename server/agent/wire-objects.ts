import type { Assistant, AssistantVersion, Item, Thread } from "@berth/store";

/** ISO 8601, UTC, milliseconds. */
export function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}

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

/** A version has no change time of its own: it never changes. */
export function wireAssistant(assistant: Assistant | AssistantVersion) {
  const { created_at } = assistant;
  const updated_at = "updated_at" in assistant ? assistant.updated_at : created_at;
  return { ...assistant, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}

/** @param values the thread's newest values; null while it has none */
export function wireThread(thread: Thread, values: unknown) {
  const { ttl: _, ...shown } = thread;
  const { created_at, updated_at, state_updated_at } = thread;
  return {
    ...shown,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
    state_updated_at: state_updated_at === null ? null : isoTime(state_updated_at),
    values: values ?? null,
  };
}

export function wireItem(item: Item) {
  return { ...item, created_at: isoTime(item.created_at), updated_at: isoTime(item.updated_at) };
}

/** The asked fields of an object; all of them when none is asked for. */
export function selected<T extends Record<string, unknown>>(
  object: T,
  fields: readonly string[] | null | undefined,
) {
  if (!fields) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}
