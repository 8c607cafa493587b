import type { Cron } from "@berth/server";
import { Link } from "wouter";
import { Ago, agoText, useNow } from "../ui/index.ts";
import { scheduleWords } from "./schedule-words.ts";

/** A schedule in words, and as it is written. */
export function When({ cron: { schedule, timezone, end_time } }: { cron: Cron }) {
  const words = scheduleWords(schedule);
  return (
    <span className="cron-when">
      <span>{words ?? <code>{schedule}</code>}</span>
      <span className="cron-note">
        {words !== undefined && <code>{schedule}</code>} {timezone ?? "UTC"}
        {end_time !== null && ` · until ${day.format(new Date(end_time))}`}
      </span>
    </span>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** When a cron fires next: how far away, and the time in its own zone. */
export function NextRun({ cron: { next_run_date, enabled, timezone } }: { cron: Cron }) {
  const now = useNow();
  if (next_run_date === null)
    return <span className="cron-note">{enabled ? "never again" : "disabled"}</span>;
  return (
    <span className="cron-when">
      <time dateTime={next_run_date}>{agoText(next_run_date, now)}</time>
      <span className="cron-note">{zoned(next_run_date, timezone)}</span>
    </span>
  );
}

function zoned(time: string, timezone: string | null): string {
  const shape = { weekday: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  try {
    return new Intl.DateTimeFormat(undefined, { ...shape, timeZone: timezone ?? "UTC" }).format(
      new Date(time),
    );
  } catch {
    // A zone that this browser does not know.
    return time;
  }
}

/** The newest run of a cron, which its trace tells about. */
export function LastRun({ cron: { last_run_date, last_run_id } }: { cron: Cron }) {
  if (last_run_date === null || last_run_id === null) return <span className="cron-note">never</span>;
  return (
    <Link href={`/traces/${last_run_id}`} data-testid="cron-last-run">
      <Ago at={last_run_date} />
    </Link>
  );
}
