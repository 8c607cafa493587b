import { existsSync } from "node:fs";
import { join } from "node:path";
import { sizeText } from "../data-folder/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { canWriteIn, roomAt } from "./folder.ts";
import { factsOf, nowOf, type Patient } from "./patient.ts";

const NEARLY_FULL = 0.9;
/** The Berth that leads looks at each cluster every half minute. */
const STALE_MS = 300_000;

/** Whether images can be pushed, and those that were are where they belong. */
export async function checkRegistry(patient: Patient): Promise<DoctorVerdict> {
  const { dataDir, databaseFile, filesUrl, control } = patient.settings;
  const folder = join(dataDir, "registry");
  const bytes = (await factsOf(patient))?.registryBytes ?? 0;
  // Elsewhere, only what is on its way lies in the folder.
  const isKeptHere = databaseFile !== null && filesUrl === null;
  if (!existsSync(folder)) {
    if (bytes > 0 && isKeptHere)
      return failure(`${folder} is missing, and the database tells of images in it`, RESTORE);
    return ok(bytes > 0 ? "no image is on its way" : "no image was pushed yet");
  }
  if (!canWriteIn(folder))
    return failure(`this user may not write in ${folder}`, "start Berth as its owner, or give it the folder");
  const room = roomAt(folder);
  if (room.status !== "ok") return room;
  const limit = control.registryBytes;
  if (limit === 0) return ok("nobody may push images (REGISTRY_LIMIT is 0)");
  const used = `${sizeText(bytes)} of the ${sizeText(limit)} that a workspace may have`;
  if (bytes >= limit * NEARLY_FULL)
    return warning(
      `a workspace has images of ${used}`,
      "delete deployments or images that nobody needs, or set a higher REGISTRY_LIMIT",
    );
  return ok(`${folder} can be written; ${room.message}; at most ${used}`);
}

const RESTORE = "stop Berth and restore the last backup (berth restore), or push the images again";

/** Whether the clusters that Berth deploys into were well at the last look. */
export async function checkClusters(patient: Patient): Promise<DoctorVerdict> {
  const clusters = (await factsOf(patient))?.clusters ?? [];
  if (clusters.length === 0) return ok("there is none");
  const unwell = clusters.filter(({ health }) => health !== null && health !== "");
  if (unwell.length > 0)
    return failure(
      unwell
        .map(({ name, health, checked_at }) => `${name}: ${health} (${momentText(checked_at)})`)
        .join("; "),
      "mend the cluster, or give the listener other credentials (PATCH /v2/listeners/{listener_id})",
    );
  const unseen = clusters.filter(({ health, checked_at }) => health === null || checked_at === null);
  if (unseen.length > 0)
    return warning(
      `nobody has looked yet at ${unseen.map(({ name }) => name).join(", ")}`,
      "start Berth: it looks at each cluster every 30 seconds",
    );
  const isStale = ({ checked_at }: (typeof clusters)[number]) =>
    patient.running !== null && nowOf(patient) - (checked_at ?? 0) > STALE_MS;
  const stale = clusters.filter(isStale);
  if (stale.length > 0)
    return warning(
      stale.map(({ name, checked_at }) => `${name}: ${momentText(checked_at)}`).join("; "),
      "see in /v1/system whether a process of the database leads, and what it logs",
    );
  return ok(clusters.map(({ name, checked_at }) => `${name} is well (${momentText(checked_at)})`).join("; "));
}

const momentText = (at: number | null): string =>
  at === null ? "never looked at" : `looked at last at ${new Date(at).toISOString()}`;
