import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  ContainerEngine,
  DATA_MARK,
  dataMark,
  EngineFailed,
  type EngineName,
  type EngineProduct,
  INSTANCE_MARK,
  isRunning,
  processesWith,
  WAKE_ENGINE,
} from "../machine/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { factsOf, type Patient } from "./patient.ts";

const HOUR_MS = 3_600_000;
const ENGINES: readonly EngineName[] = ["docker", "podman"];
const ENGINE_LIMIT_MS = 10_000;
const IMAGES = new Set(["internal_docker", "external_docker"]);

/** Whether what building and running deployments takes is installed, and answers. */
export async function checkTools(patient: Patient): Promise<DoctorVerdict> {
  const deployments = (await factsOf(patient))?.deployments ?? [];
  const sources = new Set(deployments.map(({ source }) => source));
  const has = (name: string) => Bun.which(name, { PATH: patient.environment.PATH ?? "" }) !== null;
  // A cluster gets its images by itself.
  const runsImages = deployments.some(
    ({ source, listener_id }) => IMAGES.has(source) && listener_id === null,
  );
  const { containerEngine } = patient.settings.control;
  const engine = ENGINES.filter((name) => has(name) && ["auto", name].includes(containerEngine));
  const missing = [
    ...(sources.has("github") && !has("git") ? ["git, which deployments from repositories need"] : []),
    ...(runsImages && engine.length === 0
      ? [
          `${containerEngine === "auto" ? ENGINES.join(" or ") : containerEngine}, which deployments of images need`,
        ]
      : []),
  ];
  if (missing.length > 0) return failure(`not installed: ${missing.join("; ")}`, "install it");
  const silent = await silentOf(engine, patient);
  const isSilent = silent.length > 0 && silent.length === engine.length;
  const reasons = silent.map(({ reason }) => reason).join("; ");
  const advice = [...new Set(silent.map(({ product }) => WAKE_ENGINE[product]))].join("; or ");
  if (runsImages && isSilent) return failure(`deployments of images cannot run: ${reasons}`, advice);
  if (isSilent)
    return warning(`${reasons}: nothing needs it so far`, `before an image is deployed: ${advice}`);
  const found = [...(has("git") ? ["git"] : []), ...engine];
  const rest = ["git", "docker or podman"].filter((name) => !found.some((one) => name.includes(one)));
  const absent = rest.length === 0 ? "" : `; not installed, and not needed so far: ${rest.join(", ")}`;
  return ok(`${found.join(", ") || "nothing beside Berth"}${absent}`);
}

/** What engines that do not answer say of it. */
async function silentOf(
  names: readonly EngineName[],
  { environment }: Patient,
): Promise<{ product: EngineProduct; reason: string }[]> {
  const asked = names.map(async (name) => {
    const engine = new ContainerEngine(name, environment);
    try {
      await engine.run(["info"], { limitMs: ENGINE_LIMIT_MS });
      return [];
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error;
      const product = await engine.product().catch(() => name);
      return [{ product, reason: `${name} does not answer (${error.message})` }];
    }
  });
  return (await Promise.all(asked)).flat();
}

/** Whether deployments are kept from each other, and from Berth. */
export async function checkIsolation(patient: Patient): Promise<DoctorVerdict> {
  if (process.getuid?.() === 0) return ok("Berth is root: each deployment runs as a user of its own");
  const count = (await factsOf(patient))?.deployments.length ?? 0;
  if (count === 0) return ok("nothing is deployed");
  return warning(
    "deployed agents run as Berth's own user and can read what it can",
    "run Berth as root, or deploy images only",
  );
}

/** Whether something is left that no row tells of. */
export async function checkOrphans(patient: Patient): Promise<DoctorVerdict> {
  const facts = await factsOf(patient);
  const { dataDir } = patient.settings;
  if (facts === null || !existsSync(dataDir)) return ok("there is nothing yet");
  const live = new Set(
    facts.instances.filter(({ pid, pid_started }) => isRunning(pid, pid_started)).map(({ id }) => id),
  );
  const mark = dataMark(dataDir);
  const processes = processesWith(INSTANCE_MARK, DATA_MARK).filter(
    ({ marks }) => marks[DATA_MARK] === mark && !live.has(marks[INSTANCE_MARK] ?? ""),
  );
  const builds = new Set(facts.builds.map(({ id }) => id));
  const deployments = new Set(facts.deployments.map(({ id }) => id));
  const folders = [
    ...strangers(join(dataDir, "builds"), builds),
    ...strangers(join(dataDir, "deployments"), deployments),
  ];
  const found = [
    ...(processes.length > 0 ? [`processes ${processes.map(({ pid }) => pid).join(", ")}`] : []),
    ...(folders.length > 0 ? [`${folders.length} folders (${folders[0]} …)`] : []),
  ];
  if (found.length === 0) return ok("no process and no folder is left over");
  return warning(`left over: ${found.join("; ")}`, "a start of Berth ends and removes them");
}

/** What is older than an hour and belongs to nothing; younger ones may be at work. */
function strangers(folder: string, known: ReadonlySet<string>): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !known.has(name))
    .map((name) => join(folder, name))
    .filter(
      (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > HOUR_MS,
    );
}

const KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] as const;

/** Whether agents have a model to talk to. */
export function checkModels({ settings, environment }: Patient): DoctorVerdict {
  const found = KEYS.filter((name) => environment[name]);
  const wanted = settings.issueEngine.model?.split(":")[0];
  const needed = wanted === undefined ? undefined : `${wanted.toUpperCase()}_API_KEY`;
  if (needed !== undefined && !environment[needed])
    return failure(
      `ENGINE_MODEL is ${settings.issueEngine.model}, and ${needed} is not set`,
      `set ${needed}`,
    );
  if (found.length > 0) return ok(found.join(", "));
  return warning(
    `neither ${KEYS.join(" nor ")} is set: the templates answer with the offline model`,
    "set one of them, here or as a secret of the deployment",
  );
}
