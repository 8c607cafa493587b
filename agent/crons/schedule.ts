import { type FaultDetail, Invalid } from "@berth/store";
import { Cron as Expression } from "croner";

/** When a cron fires. */
export type Schedule = {
  /** Minute, hour, day of the month, month, day of the week. */
  schedule: string;
  /** IANA name; null is UTC. */
  timezone: string | null;
};

const FIELDS = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12 },
  { name: "day of the week", least: 0, most: 7 },
];

/** The first tick behind a moment, in milliseconds since 1970; null when there is none. */
export function tickAfter({ schedule, timezone }: Schedule, moment: number): number | null {
  return (
    expression(schedule, timezone ?? "UTC")
      .nextRun(new Date(moment))
      ?.getTime() ?? null
  );
}

/**
 * Refuses a schedule that cannot be read or that no day ever fits, and a time zone that nobody knows.
 * @param now where to look for its first tick from
 * @throws Invalid
 */
export function checkSchedule({ schedule, timezone }: Partial<Schedule>, now: number): void {
  const faults: FaultDetail[] = [];
  const refuse = (field: string, why: string, input: unknown) =>
    faults.push({ loc: ["body", field], msg: `Value error, ${why}`, type: "value_error", input });
  const fault = schedule === undefined ? undefined : scheduleFault(schedule, now);
  if (fault) refuse("schedule", fault, schedule);
  if (typeof timezone === "string" && !isZone(timezone)) refuse("timezone", "unknown time zone", timezone);
  if (faults.length > 0) throw new Invalid(faults);
}

/** What is wrong with a schedule of five fields, or that no day ever fits it. */
export function scheduleFault(schedule: string, now: number): string | undefined {
  const fields = schedule.trim().split(/\s+/);
  // The library also reads dates and nicknames such as @daily.
  if (fields.length !== FIELDS.length)
    return `a schedule has five fields: ${FIELDS.map(({ name }) => name).join(", ")}`;
  for (const [index, field] of fields.entries()) {
    const reason = faultOfField(index, field);
    if (reason !== undefined) return reason;
  }
  const found = tickAfter({ schedule, timezone: null }, now);
  return found === null ? "no day ever fits this schedule" : undefined;
}

/** The library names numbers as it counts them, from 0 on: one field at a time, we know which was meant. */
function faultOfField(index: number, field: string): string | undefined {
  const alone = FIELDS.map((_, at) => (at === index ? field : "*")).join(" ");
  try {
    expression(alone, "UTC");
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    const range = FIELDS[index];
    if (range === undefined || !reason.startsWith("Invalid value")) return reason;
    return `"${field}" is no ${range.name}, which goes from ${range.least} to ${range.most}`;
  }
}

/** Without seconds: nothing fires more often than each minute. `5/10` means every ten minutes from the fifth on. */
function expression(schedule: string, timezone: string) {
  return new Expression(schedule, { mode: "5-part", sloppyRanges: true, paused: true, timezone });
}

/** Offsets such as +02:00 are no zones: they know no summer. */
function isZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
