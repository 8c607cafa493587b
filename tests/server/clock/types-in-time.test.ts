import { expect, test } from "bun:test";
import { readTypesInTime } from "../../../server/clock/index.ts";
import { until } from "../../e2e/condition.ts";

/** A project whose compiler does as it is told, try by try. */
function told(...answers: (boolean | Error)[]) {
  const asked = { times: 0 };
  const readTypes = async () => {
    const answer = answers[asked.times++];
    if (answer instanceof Error) throw answer;
    return answer ?? true;
  };
  return { asked, project: { readTypes } };
}
const atOnce = [0, 0, 0];

test("types are read until they are known, and no more often than that", async () => {
  const { asked, project } = told(false, new Error("no compiler"), true);
  readTypesInTime(project, [...atOnce, 0]);
  await until("three tries", async () => asked.times === 3);
  const { asked: always, project: never } = told(false, false, false, false);
  readTypesInTime(never, atOnce);
  await until("every try", async () => always.times === 3);
  // Whatever they would still do comes before this.
  const { asked: last, project: third } = told(false, false, false);
  readTypesInTime(third, atOnce);
  await until("the last", async () => last.times === 3);
  expect([asked.times, always.times]).toEqual([3, 3]);
});

test("nothing is read once the process ends", async () => {
  const { asked, project } = told(false);
  const end = readTypesInTime(project, atOnce);
  end();
  const { asked: other, project: reading } = told(true);
  readTypesInTime(reading, atOnce);
  await until("the other", async () => other.times === 1);
  expect(asked.times).toBe(0);
});
