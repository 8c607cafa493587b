import { dirname, join } from "node:path";

/**
 * How long the slow files take (s), beside others on two cores. Each worker begins with its slowest, so that none of
 * them is left to one worker while the others have nothing to do: only the order counts.
 */
const SLOW: Record<string, number> = {
  "tests/e2e/executors/whole.test.ts": 78,
  "tests/e2e/python/deploys.test.ts": 77,
  "tests/e2e/registry/local-build.test.ts": 72,
  "tests/e2e/soak/soak.test.ts": 70,
  "tests/e2e/stalls/stalls.test.ts": 66,
  "tests/e2e/clients/python-sdk.test.ts": 63,
  "tests/e2e/auth/keys.test.ts": 57,
  "tests/browser/console/deployments.test.ts": 52,
  "tests/browser/console/screens.test.ts": 52,
  "tests/e2e/python/graphs.test.ts": 49,
  "tests/e2e/chat-restarts.test.ts": 47,
  "tests/e2e/machines/deployments.test.ts": 45,
  "tests/browser/answers.test.ts": 42,
  "tests/e2e/auth/handler-changes-elsewhere.test.ts": 41,
  "tests/e2e/postgres/chaos.test.ts": 40,
  "tests/e2e/mcp/conformance.test.ts": 37,
  "tests/e2e/kubernetes/kubernetes.test.ts": 36,
  "tests/e2e/python/kills.test.ts": 36,
  "tests/e2e/several/away.test.ts": 34,
  "tests/e2e/several/resumed.test.ts": 40,
  "tests/e2e/operations-schedule.test.ts": 33,
  "tests/e2e/cli.test.ts": 31,
  "tests/e2e/protocol/clients.test.ts": 31,
  "tests/browser/console/studio.test.ts": 30,
  "tests/e2e/project-environment.test.ts": 30,
  "tests/cli/forget.test.ts": 25,
  "tests/e2e/access/walk.test.ts": 29,
  "tests/browser/approvals.test.ts": 28,
  "tests/e2e/bad-input-hostile.test.ts": 27,
  "tests/e2e/crash-control.test.ts": 26,
  "tests/e2e/executors/executors.test.ts": 26,
  "tests/e2e/free-room.test.ts": 25,
  "tests/e2e/protocol/restart.test.ts": 24,
  "tests/browser/console/shell.test.ts": 23,
  "tests/browser/restarts.test.ts": 23,
  "tests/browser/console/runs.test.ts": 22,
  "tests/browser/console/figures.test.ts": 21,
  "tests/e2e/deployments.test.ts": 21,
  "tests/e2e/sleep/sleep.test.ts": 21,
  "tests/smoke/your-project.test.ts": 21,
  "tests/browser/screens.test.ts": 20,
  "tests/e2e/auth/deployed.test.ts": 20,
  "tests/e2e/restart-loops.test.ts": 20,
  "tests/e2e/restart.test.ts": 20,
  "tests/e2e/clock-steps.test.ts": 25,
  "tests/e2e/idle-deployments.test.ts": 60,
  "tests/browser/console/issues.test.ts": 19,
  "tests/e2e/bad-input.test.ts": 19,
  "tests/e2e/two-processes.test.ts": 19,
  "tests/smoke/docs.test.ts": 19,
  "tests/browser/thread-list.test.ts": 18,
  "tests/e2e/deploy-cli.test.ts": 18,
  "tests/e2e/protocol/chats.test.ts": 18,
  "tests/browser/console/run-search.test.ts": 17,
  "tests/browser/gateway.test.ts": 17,
  "tests/browser/tabs.test.ts": 17,
  "tests/browser/docs.test.ts": 16,
  "tests/browser/generative-ui.test.ts": 16,
  "tests/e2e/protocol/thread-streams.test.ts": 16,
  "tests/e2e/stalls/worst-files.test.ts": 40,
  "tests/control/build/uv-workspace.test.ts": 22,
  "tests/e2e/python/templates.test.ts": 16,
  "tests/e2e/shapes/shapes.test.ts": 16,
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
