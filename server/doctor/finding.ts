/** How well something is, from best to worst. */
export const LEVELS = ["ok", "warning", "failure"] as const;

export type DoctorLevel = (typeof LEVELS)[number];

/** What was found out about one thing, each in a line. */
export type DoctorFinding = {
  /** Its name for programs. */
  check: string;
  title: string;
  status: DoctorLevel;
  message: string;
  /** What to do about it; null where all is well. */
  advice: string | null;
};

export type DoctorVerdict = Pick<DoctorFinding, "status" | "message" | "advice">;

export const ok = (message: string): DoctorVerdict => ({ status: "ok", message, advice: null });

export const warning = (message: string, advice: string): DoctorVerdict => ({
  status: "warning",
  message,
  advice,
});

export const failure = (message: string, advice: string): DoctorVerdict => ({
  status: "failure",
  message,
  advice,
});

/** The worst of them. */
export const worstOf = (findings: readonly Pick<DoctorFinding, "status">[]): DoctorLevel =>
  LEVELS.findLast((level) => findings.some(({ status }) => status === level)) ?? "ok";
