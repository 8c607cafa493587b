import { DEFAULT_EVENT_TYPES, EVENT_TYPES, EVENTS } from "../../store/issues/event-types.ts";
import { alignedTable, code } from "./markdown.ts";

export const EVENTS_FROM = "`store/issues/event-types.ts`";

/** The table of `docs/webhooks.md`: every event that a subscription can name. */
export function eventsTable(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { when, data } = EVENTS[type];
    return [code(type), DEFAULT_EVENT_TYPES.includes(type) ? `${when} ${BY_DEFAULT}` : when, data];
  });
  return alignedTable(["Type", "When", "`data`"], rows);
}

const BY_DEFAULT = "A subscription that names no events gets this one.";

/** What the console says of each event: a page imports nothing of the server but types. */
export function eventWords(): string {
  const words = Object.fromEntries(EVENT_TYPES.map((type) => [type, EVENTS[type].when]));
  return `${JSON.stringify(words, null, 2)}\n`;
}
