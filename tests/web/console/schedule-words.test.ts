import { expect, test } from "bun:test";
import { scheduleWords } from "../../../web/console/crons/schedule-words.ts";

test.each([
  ["* * * * *", "Every minute"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "Every hour"],
  ["30 * * * *", "Every hour at minute 30"],
  ["0 */6 * * *", "Every 6 hours"],
  ["*/10 * * * 1-5", "Every 10 minutes, Monday to Friday"],
  ["0 9 * * *", "Every day at 09:00"],
  ["0 9,17 * * *", "Every day at 09:00 and 17:00"],
  ["5 8 * * MON-FRI", "Monday to Friday at 08:05"],
  ["0 8 * * 1", "Every Monday at 08:00"],
  ["0 8 * * 7", "Every Sunday at 08:00"],
  ["0 8 * * 1,4", "Every Monday and Thursday at 08:00"],
  ["0 0 1 * *", "On day 1 of the month at 00:00"],
  ["0 0 1,15 * 1", "On day 1 and 15, and every Monday at 00:00"],
  ["0 0 1 jan *", "On day 1 of January at 00:00"],
  ["0 6 * 6-8 *", "Every day in June, July and August at 06:00"],
])("%s is %s", (schedule, words) => expect(scheduleWords(schedule)).toBe(words));

test.each(["", "* * * *", "0 9 * * * *", "soon", "61 * * * *", "1-50/7 3 * * *", "0 9 L * *"])(
  "%p has no words",
  (schedule) => expect(scheduleWords(schedule)).toBeUndefined(),
);
