import { expect, test } from "bun:test";
import { limitOptions } from "../../../../server/control/run/container/limits.ts";
import { UNLIMITED } from "../../../../server/control/run/limits.ts";

/** The kernel chooses it before Berth, whatever its limits. */
const BEFORE_BERTH = "--oom-score-adj=500";
const usual = { memoryMb: 1_024, cpus: 2 };

test("limits are what is given, or twice what is asked for", () => {
  expect(limitOptions({ cpu: 0.5, memory_mb: 256 }, UNLIMITED, 8)).toEqual([
    "--cpu-shares=512",
    "--cpus=1",
    "--memory-reservation=256m",
    "--memory=512m",
    BEFORE_BERTH,
  ]);
  expect(limitOptions({ cpu_limit: 1.5, memory_limit_mb: 100, memory_mb: 200 }, UNLIMITED, 8)).toEqual([
    "--cpus=1.5",
    "--memory-reservation=100m",
    "--memory=100m",
    BEFORE_BERTH,
  ]);
});

test("no more processors are promised than there are, and nothing where nothing is asked for", () => {
  expect(limitOptions({ cpu: 8 }, UNLIMITED, 2)).toEqual(["--cpu-shares=8192", "--cpus=2", BEFORE_BERTH]);
  expect(limitOptions({ cpu: null, memory_mb: "--privileged" }, UNLIMITED, 2)).toEqual([BEFORE_BERTH]);
  expect(limitOptions(null)).toEqual([BEFORE_BERTH]);
});

test("what is usual holds where a deployment says nothing, and only there", () => {
  expect(limitOptions(null, usual, 8)).toEqual(["--cpus=2", "--memory=1024m", BEFORE_BERTH]);
  expect(limitOptions({ memory_limit_mb: 4_096 }, usual, 8)).toEqual([
    "--cpus=2",
    "--memory=4096m",
    BEFORE_BERTH,
  ]);
});
