const STEPS: [letter: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
];

const dayOfYear = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** How long ago a time was, as short as can be; further back than a week, its date. */
export function relativeTime(time: string, now: number): string {
  const at = new Date(time);
  const seconds = (now - at.getTime()) / 1000;
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  if (seconds > 7 * 86_400) return (isThisYear ? dayOfYear : date).format(at);
  for (const [letter, length] of STEPS)
    if (seconds >= length) return `${Math.floor(seconds / length)}${letter}`;
  return "now";
}

/** The heading under which a conversation of that time stands in a list. */
export function ageOf(time: string | null, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const at = time === null ? now : new Date(time).getTime();
  // Just after midnight "2m" would look odd under "Yesterday".
  if (at >= today || now - at < 3_600_000) return "Today";
  if (at >= today - 86_400_000) return "Yesterday";
  if (at >= today - 7 * 86_400_000) return "Previous 7 days";
  return "Older";
}
