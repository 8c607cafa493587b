import { afterAll, beforeAll, expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { describeUnless } from "../../skips.ts";
import type { Declared } from "../access/outcomes.ts";
import { CHANGES, type Changed, SEARCHES, type Sender } from "./handler-changes.ts";

type Served = { url: string; operations?: Declared[]; stop(): Promise<unknown> };

const EXPECTED: Record<Changed[1], string> = { owner: "ada", said: "checked", answer: "checked" };

/**
 * Tests that handlers' changes count in every operation.
 * @param place where the handlers run
 * @param missing why they cannot be tested here
 */
export function testHandlerChanges(
  place: string,
  startServer: () => Promise<Served>,
  missing?: string,
): void {
  describeUnless(missing)(`what handlers ${place} change counts`, () => {
    let berth: Served;
    beforeAll(async () => {
      berth = await startServer();
    }, TEST_LIMIT_MS);
    afterAll(() => berth?.stop());

    const sender =
      (token: string): Sender =>
      async (method, path, body) => {
        const answer = await fetch(`${berth.url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return { text, json: () => JSON.parse(text || "null") };
      };

    for (const way of ["place", "replace"])
      test(
        `in each operation, ${way === "place" ? "changed in place" : "replaced"}`,
        async () => {
          const counted: Changed[] = [];
          for (const [operation, change] of Object.entries(CHANGES))
            for (const made of await change(sender(`ada-${way}`))) counted.push([operation, ...made]);
          expect(new Set(counted.map(([operation]) => operation)).size).toBe(Object.keys(CHANGES).length);
          expect(counted).toEqual(counted.map(([operation, what]) => [operation, what, EXPECTED[what]]));
        },
        4 * TEST_LIMIT_MS,
      );

    test("in each list and search, without a filter", async () => {
      const id = crypto.randomUUID();
      const found: [string, string[]][] = [];
      for (const [operation, search] of Object.entries(SEARCHES)) {
        const { put, find } = search(id);
        for (const token of ["ada", "lena"]) await put(sender(token), token);
        found.push([operation, await find(sender("lena"))]);
      }
      expect(found).toEqual(found.map(([operation]) => [operation, ["lena"]]));
    });

    test("in every operation whose handler can change something", () => {
      // Only the first server says what it declares.
      const actions = /: (?:create|create_run|search|put|list_namespaces|each message)$/;
      const all = { ...CHANGES, ...SEARCHES };
      const declared = (berth.operations ?? [])
        .filter(({ rule }) => rule !== null && actions.test(rule))
        .map(({ method, path }) => `${method} ${path}`);
      expect(declared.filter((operation) => !(operation in all))).toEqual([]);
    });
  });
}
