import { expect, test } from "vitest";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { validateAll } from "./validate-all.ts";

// It was 10 s whatever vitest's own settings said. Postgres takes longer to start where others work beside it, and
// every test of the suite was lost with that hook.
test("the suite's first hook has the time of any other", () => {
  const limits: unknown[] = [];
  const doNothing = () => undefined;
  const vitest = { ...globalThis };
  Object.assign(globalThis, {
    beforeAll: (_: unknown, limitMs?: number) => limits.push(limitMs),
    ...{ afterAll: doNothing, describe: doNothing },
  });
  try {
    const never = () => Promise.reject(new Error("no test of the suite runs here"));
    validateAll({ checkpointerName: "none", createCheckpointer: never, destroyCheckpointer: never });
  } finally {
    const { beforeAll, afterAll, describe } = vitest as Record<string, unknown>;
    Object.assign(globalThis, { beforeAll, afterAll, describe });
  }
  expect(limits).toEqual([TEST_LIMIT_MS]);
});
