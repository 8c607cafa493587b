import { isAbsolute, normalize, relative } from "node:path";
import { BuildFailed } from "./order.ts";
import type { ProjectFiles } from "./project-files.ts";
import { isRecord } from "./source-json.ts";

/** What reading the files of a project came to. */
export type ProjectReport = { files: ProjectFiles } | { error: string };

/** Begins each line of a report. */
const MARK = "berth-project: ";
/** Lines of a build's programs are cut at 4,096 characters. */
const LINE_CHARS = 4_000;
/** Maximum size of a report. A larger one would be parsed for too long, and no project lists so much. */
const MAX_REPORT_CHARS = 262_144;

/** Returns the lines of a report. In base64, because lines lose control characters. */
export function reportLines(report: ProjectReport): string[] {
  const text = Buffer.from(JSON.stringify(report)).toString("base64");
  const lines = Math.ceil(text.length / LINE_CHARS);
  return Array.from({ length: lines }, (_, at) => MARK + text.slice(at * LINE_CHARS, (at + 1) * LINE_CHARS));
}

/** Collects the lines of a report and checks it: other programs of the deployment's user could have written it. */
export class ReportReader {
  #text = "";

  /** @throws BuildFailed the report is too large */
  take(line: string): void {
    if (!line.startsWith(MARK)) return;
    this.#text += line.slice(MARK.length);
    if (this.#text.length > MAX_REPORT_CHARS)
      throw new BuildFailed(`The project lists more packages than fit in ${MAX_REPORT_CHARS} characters`);
  }

  /**
   * Returns what was found; undefined where there is no report.
   * @throws BuildFailed the error that was reported
   */
  end(source: string): ProjectFiles | undefined {
    let report: unknown;
    try {
      report = JSON.parse(Buffer.from(this.#text, "base64").toString());
    } catch {
      return undefined;
    }
    if (!isRecord(report)) return undefined;
    if (typeof report.error === "string") throw new BuildFailed(report.error);
    return isProjectFiles(report.files, source) ? report.files : undefined;
  }
}

function isProjectFiles(value: unknown, source: string): value is ProjectFiles {
  if (!isRecord(value)) return false;
  const { install, configFolder, python, unbuilt, lifecycleScripts } = value;
  const isInside = (path: unknown) => typeof path === "string" && isBelow(source, path);
  const isInstall = (one: unknown) => isRecord(one) && isInside(one.folder) && isTextOrNull(one.lockFile);
  return (
    (install === null || isInstall(install)) &&
    isInside(configFolder) &&
    (python === null || isPythonSource(python, isInside)) &&
    Array.isArray(unbuilt) &&
    unbuilt.every((one) => isRecord(one) && isUnbuilt(one)) &&
    typeof lifecycleScripts === "boolean"
  );
}

type IsInside = (path: unknown) => boolean;

function isPythonSource(value: unknown, isInside: IsInside): boolean {
  if (!isRecord(value)) return false;
  const { folder, version, installs, digest, lock, needsLock, pipConfig } = value;
  return (
    isInside(folder) &&
    isTextOrNull(version) &&
    Array.isArray(installs) &&
    installs.every(isTexts) &&
    typeof digest === "string" &&
    (lock === null || isLock(lock, isInside)) &&
    isTextOrNull(needsLock) &&
    (pipConfig === undefined || isInside(pipConfig))
  );
}

function isLock(value: unknown, isInside: IsInside): boolean {
  if (!isRecord(value)) return false;
  const { file, folder, package: name, locals } = value;
  return typeof file === "string" && isInside(folder) && isTextOrNull(name) && isTexts(locals);
}

function isUnbuilt({ name, folder, file }: Record<string, unknown>): boolean {
  const isPlain = typeof folder === "string" && !isAbsolute(folder) && !normalize(folder).startsWith("..");
  return typeof name === "string" && isPlain && typeof file === "string";
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

function isBelow(source: string, path: string): boolean {
  const below = relative(source, path);
  return isAbsolute(path) && !below.startsWith("..") && !isAbsolute(below);
}
