// The suite of @langchain/langgraph-checkpoint-validation is written for vitest. Run it with
// `bun --bun vitest run --config tests/store/checkpoint-validation/vitest.config.ts`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { TEST_LIMIT_MS } from "../../limits.ts";

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // vitest's forks talk over a channel that Bun does not have.
  test: {
    ...{ globals: true, include: ["*.spec.ts"], pool: "threads" },
    ...{ testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS },
  },
});
