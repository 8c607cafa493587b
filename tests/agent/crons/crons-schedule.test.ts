import { describe, expect, test } from "bun:test";
import { Invalid } from "@berth/store";
import { checkSchedule, tickAfter } from "../../../agent/crons/schedule.ts";

const now = Date.UTC(2026, 0, 1);

describe("the next tick", () => {
  const ticks = (schedule: string, timezone: string | null, from: string, count = 3) => {
    const found: (string | undefined)[] = [];
    let moment: number | null = Date.parse(from);
    while (moment !== null && found.length < count) {
      moment = tickAfter({ schedule, timezone }, moment);
      found.push(moment === null ? undefined : new Date(moment).toISOString().slice(0, 16));
    }
    return found;
  };

  test("lies behind the moment, never at it", () => {
    const at = Date.UTC(2026, 0, 1, 12);
    const every = { schedule: "* * * * *", timezone: null };
    expect(tickAfter(every, at - 1)).toBe(at);
    expect(tickAfter(every, at)).toBe(at + 60_000);
    expect(tickAfter(every, at + 1)).toBe(at + 60_000);
    expect(tickAfter(every, at + 59_999)).toBe(at + 60_000);
  });

  test.each([
    ["*/20 * * * *", ["2026-01-01T00:20", "2026-01-01T00:40", "2026-01-01T01:00"]],
    ["5/25 * * * *", ["2026-01-01T00:05", "2026-01-01T00:30", "2026-01-01T00:55"]],
    ["0 9-17/4 * * mon-fri", ["2026-01-01T09:00", "2026-01-01T13:00", "2026-01-01T17:00"]],
    ["0 0 * * 0", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]],
    ["0 0 * * 7", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]],
    // Both days are named: either will do.
    ["0 0 13 * FRI", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]],
    ["0 12 29 2 *", ["2028-02-29T12:00", "2032-02-29T12:00", "2036-02-29T12:00"]],
    ["30 1 1 jan,jul *", ["2026-01-01T01:30", "2026-07-01T01:30", "2027-01-01T01:30"]],
  ])("of %s", (schedule, expected) => {
    expect(ticks(schedule, null, "2026-01-01T00:00Z")).toEqual(expected);
  });

  test("keeps the hour of its zone through summer and winter", () => {
    expect(ticks("0 9 * * *", "Europe/Berlin", "2026-03-27T12:00Z")).toEqual([
      "2026-03-28T08:00",
      "2026-03-29T07:00",
      "2026-03-30T07:00",
    ]);
    expect(ticks("0 9 * * *", "America/New_York", "2026-10-31T00:00Z", 2)).toEqual([
      "2026-10-31T13:00",
      "2026-11-01T14:00",
    ]);
    expect(ticks("30 17 * * *", "Asia/Kolkata", "2026-01-01T00:00Z", 1)).toEqual(["2026-01-01T12:00"]);
  });

  test("of an hour that a night leaves out comes behind it, of one that it has twice comes once", () => {
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });
});

describe("refused", () => {
  const faults = (given: { schedule?: string; timezone?: string }) => {
    try {
      checkSchedule(given, now);
    } catch (error) {
      if (error instanceof Invalid) return error.details.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
      throw error;
    }
    return [];
  };

  test.each([
    ["", "five fields"],
    ["* * * *", "five fields"],
    ["* * * * * *", "five fields"],
    ["@daily", "five fields"],
    ["2026-05-05T00:00:00", "five fields"],
    ["60 * * * *", '"60" is no minute, which goes from 0 to 59'],
    ["* 24 * * *", '"24" is no hour, which goes from 0 to 23'],
    ["* * 0 * *", '"0" is no day of the month, which goes from 1 to 31'],
    ["0 0 1-32 * *", '"1-32" is no day of the month, which goes from 1 to 31'],
    ["30 2 * 13 *", '"13" is no month, which goes from 1 to 12'],
    ["* * * * 8", '"8" is no day of the week, which goes from 0 to 7'],
    ["a b c d e", "illegal"],
    ["*/0 * * * *", "step"],
    ["0 0 30 2 *", "no day ever fits"],
  ])("is the schedule %p", (schedule, why) => {
    expect(faults({ schedule })).toEqual([
      expect.stringMatching(new RegExp(`^body.schedule: Value error, .*${why}`, "i")),
    ]);
  });

  test.each(["Mars/Base", "+02:00", "UTC+2", ""])("is the time zone %p", (timezone) => {
    expect(faults({ timezone })).toEqual(["body.timezone: Value error, unknown time zone"]);
  });

  test("are both, at once", () => {
    expect(faults({ schedule: "x", timezone: "y" }).length).toBe(2);
  });

  test("is nothing that can be read", () => {
    expect(faults({ schedule: " 0  8 * * 1-5 ", timezone: "Europe/Lisbon" })).toEqual([]);
    expect(faults({ timezone: "UTC" })).toEqual([]);
    expect(faults({})).toEqual([]);
  });
});
