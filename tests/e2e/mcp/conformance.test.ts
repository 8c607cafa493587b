import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { because, describeUnless } from "../../skips.ts";
import { servedBerth } from "../served-berth.ts";
import { conformance, node22 } from "./node-22.ts";

/** What a server of tools alone must pass, and what the suite only reports; what is left out is in the baselines. */
const PASSED = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  "2026-07-28": ["tools-list", "dns-rebinding-protection", "http-header-validation"],
};
const TOOLS = [
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
];

const berth = servedBerth({ project: join(import.meta.dir, "project") });
const node = await node22();

describeUnless(because(!node, "no Node 22, neither here nor to be had from npm"))(
  "the conformance suite",
  () => {
    test.each(Object.entries(PASSED))(
      "finds nothing at revision %s but what is not offered",
      async (revision, passed) => {
        const folder = mkdtempSync(join(tmpdir(), "berth-mcp-"));
        const baseline = join(import.meta.dir, `expected-failures-${revision}.yaml`);
        const args = ["server", "--url", `${berth.url}/mcp`, "--requirements", revision];
        try {
          const { code, output } = await conformance(
            node ?? [],
            [...args, "--expected-failures", baseline, "-o", folder],
            folder,
            2 * WAIT_LIMIT_MS,
          );
          // The whole report, where it is needed.
          expect(code === 0 ? 0 : output).toBe(0);
          expect(output).toContain("Baseline check passed");
          const green = [...output.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(
            ([, name]) => name,
          );
          expect(green).toEqual(expect.arrayContaining([...passed, ...TOOLS]));
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
      TEST_LIMIT_MS,
    );
  },
);
