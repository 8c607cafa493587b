import { expect, test } from "bun:test";
import { newUlid } from "@berth/store";

test("ids that one process makes at once are all different, and sort as they were made", () => {
  const made = Array.from({ length: 10_000 }, newUlid);
  expect(new Set(made).size).toBe(made.length);
  expect(made.toSorted()).toEqual(made);
  for (const id of made) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
});
