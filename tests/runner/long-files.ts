/**
 * What runs in a long run only, where nobody names it: it measures, or wears something out, for longer than a test run
 * may take. Each has shorter relatives that every run has: of a stall, `tests/server` looks at the largest bodies; of
 * the rounds of chaos, `tests/e2e/several` at each kind of trouble by itself.
 */
export const LONG_FILES = [
  "tests/agent/engine/fingerprint-quality.test.ts",
  "tests/browser/console/pace.test.ts",
  "tests/e2e/chat-restarts.test.ts",
  "tests/e2e/crash-slow-reader.test.ts",
  "tests/e2e/postgres/chaos.test.ts",
  "tests/e2e/python/deploys.test.ts",
  "tests/e2e/python/kills.test.ts",
  "tests/e2e/registry/local-build.test.ts",
  "tests/e2e/soak/soak.test.ts",
  "tests/e2e/stalls/stalls.test.ts",
];
