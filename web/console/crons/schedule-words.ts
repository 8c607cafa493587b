const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/**
 * When a schedule of five fields fires, in words; undefined where words would be longer than the fields
 * themselves, or where it is no schedule.
 */
export function scheduleWords(schedule: string): string | undefined {
  const [minute, hour, day, month, weekday, ...rest] = schedule.trim().toLowerCase().split(/\s+/);
  if (!minute || !hour || !day || !month || !weekday || rest.length > 0) return undefined;
  const days = daysOf(day, month, weekday);
  const time = timesOf(minute, hour);
  if (days === undefined || time === undefined) return undefined;
  if (time.kind === "clock") return capital(`${days || "every day"} at ${time.words}`);
  return capital(days === "" ? time.words : `${time.words}, ${days}`);
}

type Times = { kind: "clock" | "interval"; words: string };

function timesOf(minute: string, hour: string): Times | undefined {
  const everyMinutes = stepOf(minute);
  if (everyMinutes !== undefined && hour === "*")
    return { kind: "interval", words: every(everyMinutes, "minute") };
  const minutes = numbersIn(minute, 0, 59);
  const [only, ...others] = minutes ?? [];
  if (minutes === undefined || only === undefined) return undefined;
  const everyHours = stepOf(hour);
  if (everyHours !== undefined && others.length === 0)
    return {
      kind: "interval",
      words: every(everyHours, "hour") + (only === 0 ? "" : ` at minute ${only}`),
    };
  const hours = numbersIn(hour, 0, 23);
  if (hours === undefined || hours.length * minutes.length > 4) return undefined;
  const clock = hours.flatMap((h) => minutes.map((m) => `${twoDigits(h)}:${twoDigits(m)}`));
  return { kind: "clock", words: listed(clock) };
}

/** "" for all days. */
function daysOf(day: string, month: string, weekday: string): string | undefined {
  const inMonths = month === "*" ? "" : monthWords(month);
  const onDays = day === "*" ? "" : dayWords(day);
  const onWeekdays = weekday === "*" ? "" : weekdayWords(weekday);
  if (inMonths === undefined || onDays === undefined || onWeekdays === undefined) return undefined;
  // Where both are named, either will do.
  const days = [onDays, onWeekdays].filter(Boolean).join(", and ");
  if (inMonths === "") return onDays && !onWeekdays ? `${days} of the month` : days;
  return days === "" ? `every day in ${inMonths}` : `${days} of ${inMonths}`;
}

function dayWords(day: string): string | undefined {
  const days = numbersIn(day, 1, 31);
  return days && days.length <= 5 ? `on day ${listed(days.map(String))}` : undefined;
}

function monthWords(month: string): string | undefined {
  const months = numbersIn(named(month, MONTHS, 1), 1, 12);
  return months && listed(months.map((number) => MONTHS[number - 1] ?? ""));
}

function weekdayWords(weekday: string): string | undefined {
  const numbers = numbersIn(named(weekday, DAYS, 0), 0, 7)?.map((number) => number % 7);
  if (!numbers) return undefined;
  const names = numbers.map((number) => DAYS[number] ?? "");
  const isRange = /^[^,/]+-[^,/]+$/.test(weekday) && names.length > 2;
  return isRange ? `${names[0]} to ${names.at(-1)}` : `every ${listed(names)}`;
}

/** Names of days and months are as good as their numbers; their first three letters are what schedules have. */
const named = (field: string, names: readonly string[], first: number): string =>
  names.reduce(
    (text, name, at) => text.replaceAll(name.slice(0, 3).toLowerCase(), String(at + first)),
    field,
  );

/** 1 for `*`, and n for `*` with a step of n. */
function stepOf(field: string): number | undefined {
  const [, step] = /^\*(?:\/(\d+))?$/.exec(field) ?? [];
  if (field === "*") return 1;
  return step === undefined || Number(step) === 0 ? undefined : Number(step);
}

/** The numbers of a field of plain numbers and ranges. */
function numbersIn(field: string, least: number, most: number): number[] | undefined {
  const numbers: number[] = [];
  for (const part of field.split(",")) {
    const [, from, to = from] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? [];
    if (from === undefined || Number(from) < least || Number(to) > most) return undefined;
    for (let number = Number(from); number <= Number(to); number += 1) numbers.push(number);
  }
  return numbers.length > 0 ? numbers : undefined;
}

const every = (count: number, what: string): string =>
  count === 1 ? `every ${what}` : `every ${count} ${what}s`;

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const twoDigits = (number: number): string => String(number).padStart(2, "0");

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
