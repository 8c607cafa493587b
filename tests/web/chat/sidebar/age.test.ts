import { expect, test } from "bun:test";
import { ageOf } from "../../../../web/chat/sidebar.tsx";

const now = new Date(2026, 4, 20, 12).getTime();
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

test.each([
  [0, "Today"],
  [11 * 3600, "Today"],
  [13 * 3600, "Yesterday"],
  [3 * 86_400, "Previous 7 days"],
  [30 * 86_400, "Older"],
])("what is %d seconds old stands under %p", (seconds, heading) => {
  expect(ageOf(ago(seconds), now)).toBe(heading);
});

test("just after midnight the last hour still is today", () => {
  const midnight = new Date(2026, 4, 20).getTime();
  const before = (minutes: number) => new Date(midnight - minutes * 60_000).toISOString();
  expect(ageOf(before(1), midnight + 60_000)).toBe("Today");
  expect(ageOf(before(61), midnight + 60_000)).toBe("Yesterday");
});

test("what has no time yet is new", () => expect(ageOf(null, now)).toBe("Today"));
