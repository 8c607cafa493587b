import { partition, unknownSettings, unknownText } from "../settings/index.ts";
import { BUN_VERSION, versionWithCommit } from "../version.ts";
import { checkBackups } from "./backup.ts";
import { checkClock, checkDatabases, checkFreeRoom, checkMigrations, checkSecretsKey } from "./database.ts";
import {
  type DoctorFinding,
  type DoctorLevel,
  type DoctorVerdict,
  failure,
  ok,
  warning,
  worstOf,
} from "./finding.ts";
import { checkDisk, checkFolder } from "./folder.ts";
import { checkClusters, checkRegistry } from "./images.ts";
import { checkIsolation, checkModels, checkOrphans, checkTools } from "./machine.ts";
import { checkKeys, checkPort, checkPublicUrl, checkWebhookAllow } from "./network.ts";
import { hasDatabase, isInFile, isOnServer, type Patient } from "./patient.ts";
import { checkConnections, checkDurability, checkVacuum } from "./server.ts";

/** Whether the Bun that runs this is the one that it was made for. */
function checkProgram(): DoctorVerdict {
  const here = `Berth ${versionWithCommit()} on Bun ${Bun.version}, ${process.platform}-${process.arch}`;
  const order = Bun.semver.order(Bun.version, BUN_VERSION);
  if (order === 0) return ok(here);
  if (order < 0) return failure(here, `use Bun ${BUN_VERSION}, or the executable, which brings it along`);
  return warning(here, `it was made for Bun ${BUN_VERSION}: use that one where something looks odd`);
}

/** Whether something was set that nobody reads. */
function checkSettings({ environment }: Patient): DoctorVerdict {
  const [mistaken, others] = partition(unknownSettings(environment)).map((some) => some.map(unknownText));
  if (mistaken && mistaken.length > 0)
    return warning(
      `Berth has no setting of this name: ${mistaken.join(", ")}`,
      "correct it or leave it out; docs/configuration.md has all of them",
    );
  const rest = others && others.length > 0 ? `; not Berth's, as it seems: ${others.join(", ")}` : "";
  return ok(`every name is known${rest}`);
}

type Report = { status: DoctorLevel; checked_at: string; took_ms: number; findings: DoctorFinding[] };

type Check = {
  check: string;
  title: string;
  /** Whether it means anything there; everywhere without. */
  isFor?(patient: Patient): boolean;
  look(patient: Patient): DoctorVerdict | Promise<DoctorVerdict>;
};

/** Everything that is looked at, in the order in which it is told. */
const CHECKS: readonly Check[] = [
  { check: "program", title: "Program", look: checkProgram },
  { check: "settings", title: "Settings", look: checkSettings },
  { check: "folder", title: "Data folder", look: checkFolder },
  { check: "disk", title: "Disk", look: checkDisk },
  { check: "database", title: "Databases", look: checkDatabases },
  { check: "free_room", title: "Free room", isFor: isInFile, look: checkFreeRoom },
  { check: "connections", title: "Connections", isFor: isOnServer, look: checkConnections },
  { check: "vacuum", title: "Old rows", isFor: isOnServer, look: checkVacuum },
  { check: "durability", title: "Durability", isFor: isOnServer, look: checkDurability },
  { check: "migrations", title: "Migrations", look: checkMigrations },
  { check: "backup", title: "Backups", isFor: hasDatabase, look: checkBackups },
  { check: "secrets", title: "Key of the secrets", look: checkSecretsKey },
  { check: "clock", title: "Clock", look: checkClock },
  { check: "port", title: "Port", look: checkPort },
  { check: "public_url", title: "Public address", look: checkPublicUrl },
  { check: "keys", title: "API keys", look: checkKeys },
  { check: "tools", title: "Tools", look: checkTools },
  { check: "registry", title: "Registry of images", look: checkRegistry },
  { check: "clusters", title: "Clusters", look: checkClusters },
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
  const wanted = CHECKS.filter(
    ({ check, isFor }) => only.includes(check) && (isFor === undefined || isFor(patient)),
  );
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
