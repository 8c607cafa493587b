// The suite of @langchain/langgraph-checkpoint-validation is written for vitest. Run it with
// `bun --bun vitest run --config tests/store/checkpoint-validation/vitest.config.ts`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // A hook that takes longer hangs: the first starts Postgres in this process, beside two other runners.
  // vitest's forks talk over a channel that Bun does not have.
  test: { globals: true, include: ["*.spec.ts"], pool: "threads", hookTimeout: 60_000 },
});
