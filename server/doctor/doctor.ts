import { checkClock, checkDatabases, checkMigrations, checkSecretsKey } from "./database.ts";
import { type DoctorFinding, type DoctorLevel, type DoctorVerdict, failure, worstOf } from "./finding.ts";
import { checkDisk, checkFolder } from "./folder.ts";
import { checkIsolation, checkModels, checkOrphans, checkTools } from "./machine.ts";
import { checkKeys, checkPort, checkPublicUrl, checkWebhookAllow } from "./network.ts";
import type { Patient } from "./patient.ts";
import { checkProgram } from "./program.ts";
import { checkSettings } from "./settings.ts";

export type Report = { status: DoctorLevel; checked_at: string; took_ms: number; findings: DoctorFinding[] };

type Check = { check: string; title: string; look(patient: Patient): DoctorVerdict | Promise<DoctorVerdict> };

/** Everything that is looked at, in the order in which it is told. */
const CHECKS: readonly Check[] = [
  { check: "program", title: "Program", look: checkProgram },
  { check: "settings", title: "Settings", look: checkSettings },
  { check: "folder", title: "Data folder", look: checkFolder },
  { check: "disk", title: "Disk", look: checkDisk },
  { check: "database", title: "Databases", look: checkDatabases },
  { check: "migrations", title: "Migrations", look: checkMigrations },
  { check: "secrets", title: "Key of the secrets", look: checkSecretsKey },
  { check: "clock", title: "Clock", look: checkClock },
  { check: "port", title: "Port", look: checkPort },
  { check: "public_url", title: "Public address", look: checkPublicUrl },
  { check: "keys", title: "API keys", look: checkKeys },
  { check: "tools", title: "Tools", look: checkTools },
  { check: "isolation", title: "Isolation of deployments", look: checkIsolation },
  { check: "orphans", title: "Left over", look: checkOrphans },
  { check: "models", title: "Models", look: checkModels },
  { check: "webhook_allow", title: "WEBHOOK_ALLOW", look: checkWebhookAllow },
];

/** The names of all checks. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ check }) => check);

/** Looks at everything, or at what is named, and says what to do. Changes nothing. */
export async function examine(patient: Patient, only: readonly string[] = CHECK_NAMES): Promise<Report> {
  const begun = performance.now();
  const wanted = CHECKS.filter(({ check }) => only.includes(check));
  const findings = await Promise.all(wanted.map((check) => found(check, patient)));
  return {
    status: worstOf(findings),
    checked_at: new Date().toISOString(),
    took_ms: Math.round(performance.now() - begun),
    findings,
  };
}

async function found({ check, title, look }: Check, patient: Patient): Promise<DoctorFinding> {
  try {
    return { check, title, ...(await look(patient)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { check, title, ...failure(`it cannot be looked at: ${reason}`, "see what the message names") };
  }
}
