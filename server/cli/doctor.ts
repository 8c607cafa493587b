import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv, styleText } from "node:util";
import { quickCheck } from "@berth/store";
import { type ArgsDef, defineCommand } from "citty";
import type { DoctorFinding, DoctorLevel } from "../doctor/index.ts";
import { readSettings, type Texts } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { environmentFile, judgedEnvironment } from "./environment-file.ts";
import { failWith } from "./fail.ts";
import { flags } from "./start.ts";

const args = {
  ...flags,
  "env-file": environmentFile,
  only: { type: "string", valueHint: "CHECKS", description: "Names of checks, with commas between them" },
  json: { type: "boolean", default: false, description: "Print JSON" },
} satisfies ArgsDef;

const SIGNS: Record<DoctorLevel, { sign: string; color: "green" | "yellow" | "red" }> = {
  ok: { sign: "ok     ", color: "green" },
  warning: { sign: "warning", color: "yellow" },
  failure: { sign: "FAILURE", color: "red" },
};

export const doctor = defineCommand({
  meta: {
    name: "doctor",
    description: "Find what is wrong here, and say what to do; exit code 1 if a check fails",
  },
  args,
  run: async ({ args: given, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const report = await examined(given);
      process.stdout.write(given.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
      if (report.status === "failure") process.exitCode = 1;
    } catch (error) {
      failWith(error);
    }
  },
});

type Given = Partial<Record<"project" | "port" | "host" | "data" | "only" | "env-file", string>>;

async function examined({ project = ".", port, host, data, only, "env-file": file }: Given) {
  const { CHECK_NAMES, examine } = await import("../doctor/index.ts");
  const wanted = only?.split(",").map((name) => name.trim());
  const unknown = wanted?.find((name) => !CHECK_NAMES.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no check ${unknown}; the checks are ${CHECK_NAMES.join(", ")}`);
  const told = judgedEnvironment(file, process.env);
  const settings = readSettings({ PORT: port, HOST: host, DATA_DIR: data }, told, ".");
  const faultsOf = async (file: string) => {
    try {
      return quickCheck(file);
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  };
  const environment = { ...dotenvOf(resolve(project)), ...told };
  return examine({ settings, environment, running: null, faultsOf }, wanted);
}

/** What the graphs of a project will see beside the environment. */
function dotenvOf(project: string): Texts {
  const file = join(project, ".env");
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

function textOf({ status, findings }: { status: DoctorLevel; findings: readonly DoctorFinding[] }): string {
  const width = Math.max(...findings.map(({ title }) => title.length));
  const lines = findings.flatMap(({ title, status, message, advice }) => {
    const { sign, color } = SIGNS[status];
    const head = `${styleText(color, sign, { stream: process.stdout })}  ${title.padEnd(width)}  ${message}`;
    return advice === null ? [head] : [head, `${" ".repeat(width + 11)}→ ${advice}`];
  });
  const count = (level: DoctorLevel) => findings.filter(({ status }) => status === level).length;
  const failures = count("failure");
  const warnings = count("warning");
  const tally = `${failures === 1 ? "1 failure" : `${failures} failures`}, ${warnings === 1 ? "1 warning" : `${warnings} warnings`}`;
  return `${[...lines, "", status === "ok" ? "All is well." : tally].join("\n")}\n`;
}
