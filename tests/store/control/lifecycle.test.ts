import { describe, expect, test } from "bun:test";
import { isBusy, isFinal, mayBecome, REVISION_STATUSES, type RevisionStatus } from "@berth/store";

const nextOf = (from: RevisionStatus) => REVISION_STATUSES.filter((to) => mayBecome(from, to));

describe("the lifecycle of a revision", () => {
  test("leads from the first status to each of the others", () => {
    const reached = new Set<RevisionStatus>(["CREATING"]);
    for (const from of reached) for (const to of nextOf(from)) reached.add(to);
    expect([...reached].sort()).toEqual([...REVISION_STATUSES].sort());
  });

  test("lets whatever is on its way be interrupted, or become unknown, and end", () => {
    for (const status of REVISION_STATUSES.filter((one) => !isFinal(one))) {
      expect(nextOf(status)).toContain("INTERRUPTED");
      expect(nextOf(status)).toContain("UNKNOWN");
    }
  });

  test("has no way back, but to deploy again", () => {
    const again = REVISION_STATUSES.filter(isFinal).filter((status) => status !== "UNKNOWN");
    const ways = again.map((status) => [status, nextOf(status)]);
    expect(Object.fromEntries(ways)).toEqual({
      CREATE_FAILED: [],
      BUILD_FAILED: [],
      DEPLOY_FAILED: ["DEPLOYING", "DEPLOYED"],
      DEPLOYED: ["DEPLOYING", "DEPLOY_FAILED", "UNKNOWN"],
      SKIPPED: [],
      INTERRUPTED: ["DEPLOYING"],
    });
    for (const status of REVISION_STATUSES) expect(mayBecome(status, "CREATING")).toBe(false);
  });

  test("skips only what was not built yet, and builds before it deploys", () => {
    const waysTo = (to: RevisionStatus) => REVISION_STATUSES.filter((from) => mayBecome(from, to));
    expect(waysTo("SKIPPED")).toEqual(["CREATING", "QUEUED"]);
    expect(waysTo("BUILDING")).toEqual(["AWAITING_BUILD", "UNKNOWN"]);
    expect(waysTo("DEPLOYED")).toEqual(["DEPLOYING", "DEPLOY_FAILED", "UNKNOWN"]);
    expect(REVISION_STATUSES.filter(isBusy)).toEqual([
      "AWAITING_BUILD",
      "BUILDING",
      "AWAITING_DEPLOY",
      "DEPLOYING",
    ]);
  });
});
