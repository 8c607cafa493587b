type Values = Record<string, unknown>;

const MESSAGE_TYPES = new Set(["human", "ai", "system", "tool", "function", "developer", "remove"]);
/** What LangGraph's messages reducer takes for "forget all that was there". */
const REMOVE_ALL = { type: "remove", id: "__remove_all__", content: "" };

const isMessage = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && "type" in entry && MESSAGE_TYPES.has(String(entry.type));

const isMessages = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The update that makes one state of another, as far as the graph takes values as they are. */
export function updateFor(before: Values, after: Values): Values {
  const changed = Object.entries(after).filter(([name, value]) => !isSame(before[name], value));
  return Object.fromEntries(
    changed.map(([name, value]) => [
      name,
      // A list of messages adds up by their ids; so it is begun anew.
      isMessages(before[name]) && Array.isArray(value) ? [REMOVE_ALL, ...value] : value,
    ]),
  );
}

/** What of an update came out otherwise, since the graph adds up what nodes return. Messages get ids, and are left out. */
export function addedUp(update: Values, wanted: Values, got: Values): string[] {
  return Object.keys(update).filter((name) => !isMessages(wanted[name]) && !isSame(wanted[name], got[name]));
}

/** The same update with some values set past the rule by which the graph adds them up. */
export function overwriting(update: Values, names: readonly string[]): Values {
  const set = names.map((name) => [name, { __overwrite__: update[name] }]);
  return { ...update, ...Object.fromEntries(set) };
}

/** Whether a graph took the wish to overwrite for a value. */
export const isLiteral = (got: Values, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(Object(got[name]), "__overwrite__"));

/** The members that an edit took away, which no update can do. */
export const takenAway = (before: Values, after: Values): string[] =>
  Object.keys(before).filter((name) => !(name in after));
