/**
 * What runs in a long run only, where nobody names it: it measures, wears something out, or looks once more, for long,
 * at what shorter relatives look at in every run: kills in `crash.test.ts`, a database that goes away and a leader that
 * stands still in `e2e/several` and `e2e/machines`, pushed images in `e2e/registry`, each screen in `browser/console`.
 * Of how long a large request holds up others (`stalls`), every run looks at what is refused only.
 */
export const LONG_FILES = [
  "tests/agent/engine/fingerprint-quality.test.ts",
  "tests/browser/console/pace.test.ts",
  "tests/browser/console/walk.test.ts",
  "tests/browser/front-ends.test.ts",
  "tests/e2e/chat-restarts.test.ts",
  "tests/e2e/crash-slow-reader.test.ts",
  "tests/e2e/crash-sweeps.test.ts",
  "tests/e2e/postgres/chaos.test.ts",
  "tests/e2e/python/deploys.test.ts",
  "tests/e2e/python/kills.test.ts",
  "tests/e2e/registry/engine.test.ts",
  "tests/e2e/registry/local-build.test.ts",
  "tests/e2e/soak/soak.test.ts",
  "tests/e2e/stalls/stalls.test.ts",
];
