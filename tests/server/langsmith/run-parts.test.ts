import { describe, expect, test } from "bun:test";
import { toldBy } from "../../../server/langsmith/run-parts.ts";
import { quickest } from "../../limits.ts";

const ID = "0197f0a0-0000-7000-8000-000000000001";
/** As many parts as a request may have, nearly. */
const PARTS = 19_000;
/** CPU time (ms). The copies of the quadratic version took 2,000 to 20,000 ms. */
const LIMIT_MS = 1_000;

const part = (name: string, value: unknown) => ({ name, bytes: Buffer.from(JSON.stringify(value)) });
const parts = (count: number, of: (at: number) => ReturnType<typeof part>) =>
  Array.from({ length: count }, (_, at) => of(at));

/** CPU time (ms) that this process takes for something, however busy the machine is. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe("the parts of a request", () => {
  test("of one run become one run: the first object wins, a field of its own beats both", async () => {
    const told = await toldBy([
      part(`post.${ID}`, { name: "first", inputs: { a: 1 }, ["__proto__"]: { b: 1 } }),
      part(`post.${ID}.inputs`, { a: 2 }),
      part(`post.${ID}`, { name: "second", inputs: { a: 3 }, run_type: "llm" }),
      part(`patch.${ID}.outputs`, { o: 1 }),
      part(`post.${ID}.serialized`, { s: 1 }),
      part(`attachment.${ID}.photo`, "bytes"),
    ]);
    expect(told.runs).toEqual([
      { id: ID, name: "first", inputs: { a: 2 }, run_type: "llm", attachments: ["photo"] },
      { id: ID, outputs: { o: 1 } },
    ]);
  });

  test("of a run with an attachment keep the names of the first hundred", async () => {
    const { runs } = await toldBy([
      part(`post.${ID}`, {}),
      ...parts(150, (at) => part(`attachment.${ID}.file-${at}`, "")),
    ]);
    expect(runs[0]?.attachments).toEqual(Array.from({ length: 100 }, (_, at) => `file-${at}`));
  });

  test.each<[string, ReturnType<typeof part>[]]>([
    [
      "attachments of one run",
      [part(`post.${ID}`, {}), ...parts(PARTS, (at) => part(`attachment.${ID}.file-${at}`, ""))],
    ],
    [
      "objects of one run, each with another field",
      parts(PARTS, (at) => part(`post.${ID}`, { [`f${at}`]: 1 })),
    ],
    [
      "fields of a run that has many",
      [
        part(`post.${ID}`, Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, 1]))),
        ...parts(PARTS, () => part(`post.${ID}.inputs`, {})),
      ],
    ],
  ])("take time in proportion to their number: %s", async (_, all) => {
    expect(await quickest(LIMIT_MS, () => cpuOf(() => toldBy(all)), 3)).toBeLessThan(LIMIT_MS);
  });
});
