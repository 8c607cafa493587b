import { dirname, join } from "node:path";

/**
 * How long the slow files take (s), beside others on two cores. Each worker begins with its slowest, so that none of
 * them is left to one worker while the others have nothing to do: only the order counts.
 */
const SLOW: Record<string, number> = {
  "tests/e2e/executors/executors.test.ts": 140,
  "tests/e2e/executors/whole.test.ts": 77,
  "tests/e2e/python/deploys.test.ts": 77,
  "tests/e2e/registry/local-build.test.ts": 72,
  "tests/e2e/soak/soak.test.ts": 70,
  "tests/e2e/stalls/stalls.test.ts": 66,
  "tests/e2e/waiting-runs.test.ts": 61,
  "tests/e2e/several/away.test.ts": 59,
  "tests/browser/console/deployments.test.ts": 55,
  "tests/e2e/shapes/shapes.test.ts": 54,
  "tests/e2e/machines/deployments.test.ts": 51,
  "tests/browser/console/screens.test.ts": 50,
  "tests/e2e/auth/keys.test.ts": 48,
  "tests/e2e/sleep/sleep.test.ts": 48,
  "tests/browser/answers.test.ts": 47,
  "tests/e2e/chat-restarts.test.ts": 47,
  "tests/e2e/operations-schedule.test.ts": 47,
  "tests/e2e/clients/python-sdk.test.ts": 46,
  "tests/e2e/postgres/chaos.test.ts": 40,
  "tests/e2e/mcp/conformance.test.ts": 40,
  "tests/e2e/sleep/replicas.test.ts": 39,
  "tests/e2e/dev/reload.test.ts": 38,
  "tests/browser/docs.test.ts": 38,
  "tests/e2e/python/kills.test.ts": 36,
  "tests/e2e/kubernetes/kubernetes.test.ts": 36,
  "tests/e2e/restart-loops.test.ts": 36,
  "tests/e2e/bad-input-hostile.test.ts": 36,
  "tests/browser/console/runs.test.ts": 35,
  "tests/browser/screens.test.ts": 34,
  "tests/e2e/crash-control.test.ts": 33,
  "tests/browser/console/figures.test.ts": 33,
  "tests/e2e/protocol/restart.test.ts": 30,
  "tests/browser/sign-in.test.ts": 28,
  "tests/e2e/protocol/clients.test.ts": 28,
  "tests/browser/console/studio.test.ts": 28,
  "tests/browser/approvals.test.ts": 25,
  "tests/browser/console/shell.test.ts": 25,
  "tests/browser/console/issues.test.ts": 22,
  "tests/browser/console/issue-life.test.ts": 22,
  "tests/browser/console/run-search.test.ts": 22,
  "tests/e2e/crash.test.ts": 20,
};

/** Of all others. */
const SECONDS = 5;

/** What `bun test --timings` reads. It starts a file first of which it is told nothing. */
export const timingsOf = (files: readonly string[]): string =>
  JSON.stringify({
    version: 1,
    files: Object.fromEntries(files.map((file) => [file, (SLOW[file] ?? SECONDS) * 1_000])),
  });

/** Where a runner finds them that writes its report there. */
export const timingsBeside = (report: string): string => join(dirname(report), "timings.json");

export const slowFiles = (): string[] => Object.keys(SLOW);
