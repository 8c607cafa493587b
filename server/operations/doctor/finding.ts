/** How well something is, from best to worst. */
export const LEVELS = ["ok", "warning", "failure"] as const;

export type Level = (typeof LEVELS)[number];

/** What was found out about one thing, each in a line. */
export type Finding = {
  /** Its name for programs. */
  check: string;
  title: string;
  status: Level;
  message: string;
  /** What to do about it; null where all is well. */
  advice: string | null;
};

export type Verdict = Pick<Finding, "status" | "message" | "advice">;

export const ok = (message: string): Verdict => ({ status: "ok", message, advice: null });

export const warning = (message: string, advice: string): Verdict => ({
  status: "warning",
  message,
  advice,
});

export const failure = (message: string, advice: string): Verdict => ({
  status: "failure",
  message,
  advice,
});

/** The worst of them. */
export const worstOf = (findings: readonly Pick<Finding, "status">[]): Level =>
  LEVELS.findLast((level) => findings.some(({ status }) => status === level)) ?? "ok";
