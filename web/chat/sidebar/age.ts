/** The heading under which a conversation of that time stands in a list. */
export function ageOf(time: string | null, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const at = time === null ? now : new Date(time).getTime();
  // Just after midnight "2 min" would look odd under "Yesterday".
  if (at >= today || now - at < 3_600_000) return "Today";
  if (at >= today - 86_400_000) return "Yesterday";
  if (at >= today - 7 * 86_400_000) return "Previous 7 days";
  return "Older";
}
