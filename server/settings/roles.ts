import { SettingError, taking } from "./setting.ts";

const ROLES = ["front", "executor", "control"] as const;

/**
 * What one of several processes on a database does: a front answers, an executor runs graphs, control does what one of all
 * processes does at a time, and what has its hour.
 */
export type Role = (typeof ROLES)[number];

/** A process that nobody narrowed. */
export const EVERY_ROLE: readonly Role[] = ROLES;

/** Reads `ROLE`. */
export const roles = taking<readonly Role[]>(
  "`front`, `executor`, `control`, or several of them with commas",
  (given, name) => {
    const named = given.split(",").map((role) => role.trim());
    const known = ROLES.filter((role) => named.includes(role));
    if (named.some((role) => !ROLES.some((one) => one === role)))
      throw new SettingError(name, given, "must be front, executor or control, or several with commas");
    return known;
  },
);
