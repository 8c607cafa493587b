import { describe, test } from "bun:test";
import { skippedFor } from "./runner/skipped.ts";

type Define = (name: string, body: () => unknown, limitMs?: number) => void;

/** A test, or none where there is a reason, which the run then tells at its end with how many tests it cost. */
export function testUnless(reason: string | undefined): Define {
  return (name, body, limitMs) => {
    const run = async () => void (await body());
    if (reason === undefined) test(name, run, limitMs);
    else test.skip(skippedFor(name, reason), run);
  };
}

/** Several tests, or none where there is a reason: see {@link testUnless}. */
export function describeUnless(reason: string | undefined): (name: string, body: () => void) => void {
  return (name, body) =>
    reason === undefined ? describe(name, body) : describe.skip(skippedFor(name, reason), body);
}

/** The reason, where it holds. */
export const because = (holds: boolean, reason: string): string | undefined => (holds ? reason : undefined);

/** Why what takes minutes is not tested now. */
export const notLong = because(!process.env.BERTH_LONG, "takes long: only with test:long");

/** Why what only root may do is not tested here. */
export const notRoot = because(process.getuid?.() !== 0, "needs root");
