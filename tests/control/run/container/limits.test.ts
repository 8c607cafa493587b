import { expect, test } from "bun:test";
import { limitOptions } from "../../../../server/control/run/container/limits.ts";

test("limits are what is given, or twice what is asked for", () => {
  expect(limitOptions({ cpu: 0.5, memory_mb: 256 }, 8)).toEqual([
    "--cpu-shares=512",
    "--cpus=1",
    "--memory-reservation=256m",
    "--memory=512m",
  ]);
  expect(limitOptions({ cpu_limit: 1.5, memory_limit_mb: 100, memory_mb: 200 }, 8)).toEqual([
    "--cpus=1.5",
    "--memory-reservation=100m",
    "--memory=100m",
  ]);
});

test("no more processors are promised than there are, and nothing where nothing is asked for", () => {
  expect(limitOptions({ cpu: 8 }, 2)).toEqual(["--cpu-shares=8192", "--cpus=2"]);
  expect(limitOptions({ cpu: null, memory_mb: "--privileged" }, 2)).toEqual([]);
  expect(limitOptions(null)).toEqual([]);
});
