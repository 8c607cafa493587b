import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOutlived, registerBerth, runningBerths } from "../../../server/machine/running-berths.ts";
import { temporaryFolder } from "../../store/every-store.ts";

test("the Berths of a data folder are those that run and wrote themselves down", () => {
  const folder = temporaryFolder();
  try {
    expect(runningBerths(folder)).toEqual([]);
    const forget = registerBerth(folder);
    // One that was killed, and one whose pid another process has by now.
    mkdirSync(join(folder, "run"), { recursive: true });
    writeFileSync(join(folder, "run", "4194304"), "1@boot");
    writeFileSync(join(folder, "run", String(process.ppid)), "1@boot");
    expect(runningBerths(folder)).toEqual([process.pid]);
    expect(readdirSync(join(folder, "run"))).toEqual([String(process.pid)]);
    forget();
    expect(runningBerths(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what a process started goes on without it, but not in a container whose first process it is", () => {
  const [host, container] = ["pid:[4026531836]", "pid:[4026532768]"];
  expect(isOutlived({ pid: 700, ppid: 1 }, host)).toBe(true);
  expect(isOutlived({ pid: 700, ppid: 1 }, undefined)).toBe(true);
  expect(isOutlived({ pid: 700, ppid: 600 }, container)).toBe(true);
  expect(isOutlived({ pid: 1, ppid: 0 }, container)).toBe(false);
  // The first process is one that only passes signals on.
  expect(isOutlived({ pid: 7, ppid: 1 }, container)).toBe(false);
});
