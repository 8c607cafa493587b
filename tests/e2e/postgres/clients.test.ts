import { expect } from "bun:test";
import { LONG_TIMES, TEST_LIMIT_MS } from "../../limits.ts";
import { withoutPostgres } from "../../postgres/server.ts";
import { ROOT } from "../../runner/run.ts";
import { notLong, testUnless } from "../../skips.ts";

/**
 * The checks of others, which talk to two Berths here: the official JavaScript client in three versions, the Python
 * client and what it sends, the clients of the thread protocol, and the chat in a browser.
 */
const SOON = ["tests/e2e/wait-joined.test.ts", "tests/e2e/run-results.test.ts"];
const LATER = [
  "tests/e2e/threads.test.ts",
  "tests/e2e/run-streams.test.ts",
  "tests/e2e/joins.test.ts",
  "tests/e2e/stream-modes.test.ts",
  "tests/e2e/interrupts.test.ts",
  "tests/e2e/multitask.test.ts",
  "tests/e2e/assistants.test.ts",
  "tests/e2e/store-items.test.ts",
  "tests/e2e/cancels.test.ts",
  "tests/e2e/python-wire.test.ts",
  "tests/e2e/clients/python-sdk.test.ts",
  "tests/e2e/protocol/clients.test.ts",
  "tests/e2e/protocol/chats.test.ts",
  "tests/browser/answers.test.ts",
  "tests/browser/approvals.test.ts",
  "tests/browser/thread-list.test.ts",
];

/** Runs test files against two Berths on one Postgres, behind a load balancer that switches at each request. */
async function passBehindBalancer(files: readonly string[], limitMs: number): Promise<void> {
  const command = [
    "test",
    "--no-orphans",
    "--only-failures",
    `--timeout=${TEST_LIMIT_MS}`,
    ...files.map((file) => `./${file}`),
  ];
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    env: { ...process.env, DATABASE: "postgres", BEHIND: "balancer" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, `${out}${errors}`]).toEqual([0, expect.any(String)]);
}

testUnless(withoutPostgres() ?? notLong)(
  "clients hear the same of a run from two Berths as from one",
  () => passBehindBalancer(SOON, TEST_LIMIT_MS),
  TEST_LIMIT_MS,
);

for (const file of LATER)
  testUnless(withoutPostgres() ?? notLong)(
    `${file} against two Berths`,
    () => passBehindBalancer([file], LONG_TIMES * TEST_LIMIT_MS),
    LONG_TIMES * TEST_LIMIT_MS,
  );
