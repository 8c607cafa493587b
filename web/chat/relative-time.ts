const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

const words = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** How long ago a time was, in a word or two; further back than a week, its date. */
export function relativeTime(time: string, now: number): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  if (seconds < -7 * 86_400) return date.format(new Date(time));
  for (const [unit, length] of STEPS)
    if (-seconds >= length) return words.format(Math.ceil(seconds / length), unit);
  return "now";
}

/** The heading under which a conversation of that time stands in a list. */
export function ageOf(time: string | null, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const at = time === null ? now : new Date(time).getTime();
  if (at >= today) return "Today";
  if (at >= today - 86_400_000) return "Yesterday";
  if (at >= today - 7 * 86_400_000) return "Previous 7 days";
  return "Older";
}
