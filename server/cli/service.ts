import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { executableOf, ownProgram } from "../machine/index.ts";
import { unitText } from "../service/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { failWith } from "./fail.ts";

const DEFAULTS = { data: "/var/lib/berth", "env-file": "/etc/berth.env", to: "/etc/systemd/system" };
/** As old as any that is still looked after; where none answers, the unit is for this one, which all others take. */
const OLD_SYSTEMD = 249;

const args = {
  data: { type: "string", valueHint: "DIR", default: DEFAULTS.data, description: "Folder for the database" },
  "env-file": {
    type: "string",
    valueHint: "FILE",
    default: DEFAULTS["env-file"],
    description: "File with settings and keys, one NAME=value on each line",
  },
  user: {
    type: "string",
    valueHint: "NAME",
    description: "User to run as (default root, so that each deployment can have its own user)",
  },
  containers: {
    type: "boolean",
    default: false,
    description: "Leave out restrictions with which Podman cannot run deployments of images",
  },
  program: { type: "string", valueHint: "FILE", description: "The executable (default: this one)" },
  systemd: {
    type: "string",
    valueHint: "VERSION",
    description: "The version of systemd that the unit is for (default: that of this machine)",
  },
} satisfies ArgsDef;

const installArgs = {
  ...args,
  to: { type: "string", valueHint: "DIR", default: DEFAULTS.to, description: "Folder of the unit" },
} satisfies ArgsDef;

const print = defineCommand({
  meta: { name: "print", description: "Print a unit for systemd" },
  args,
  run: ({ args: given, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      process.stdout.write(unitOf(given));
    } catch (error) {
      failWith(error);
    }
  },
});

const install = defineCommand({
  meta: {
    name: "install",
    description: "Write the unit, and an empty file for settings if there is none",
  },
  args: installArgs,
  run: ({ args: given, rawArgs }) => {
    try {
      checkArguments(rawArgs, installArgs);
      process.stdout.write(`${installed(given).join("\n")}\n`);
    } catch (error) {
      failWith(error);
    }
  },
});

export const service = defineCommand({
  meta: { name: "service", description: "Run Berth as a service of systemd" },
  subCommands: { print, install },
});

type Given = {
  data: string;
  "env-file": string;
  user?: string | undefined;
  containers: boolean;
  program?: string | undefined;
  systemd?: string | undefined;
};

function unitOf(given: Given): string {
  const { program, user, containers } = given;
  if (user !== undefined && !/^[a-z_][\w-]*\$?$/i.test(user))
    throw new UsageError(`"${user}" is no user's name`);
  return unitText({
    command: program === undefined ? executableOf(ownProgram()).berth([]).command : [resolve(program)],
    data: resolve(given.data),
    environmentFile: resolve(given["env-file"]),
    user: user === "root" ? null : (user ?? null),
    containers,
    version: versionOf(given.systemd),
  });
}

/** @throws UsageError */
function versionOf(named: string | undefined): number {
  if (named !== undefined && !/^\d{3}$/.test(named))
    throw new UsageError(`--systemd must be a version such as 252, not "${named}"`);
  if (named !== undefined) return Number(named);
  if (!Bun.which("systemctl")) return OLD_SYSTEMD;
  const { stdout } = Bun.spawnSync(["systemctl", "--version"], { stderr: "ignore" });
  return Number(/^systemd (\d+)/.exec(stdout.toString())?.[1] ?? OLD_SYSTEMD);
}

const SETTINGS = `# Settings and keys of Berth: docs/configuration.md has all of them. Of this file, "systemctl reload berth" reads the
# level and the format of the log, a restart everything.
# SERVICE_API_KEY=
# PUBLIC_URL=https://berth.example.com
# PROXY_SECRET=
`;

function installed(given: Given & { to: string }): string[] {
  const unit = join(resolve(given.to), "berth.service");
  const settings = resolve(given["env-file"]);
  const isNew = !existsSync(settings);
  write(unit, unitOf(given), 0o644);
  // systemd reads it as root, and hands on what is in it.
  if (isNew) write(settings, SETTINGS, 0o600);
  return [
    `Wrote ${unit}${isNew ? `, and ${settings} for settings and keys` : `; ${settings} stays as it is`}.`,
    "Then:",
    "  systemctl daemon-reload",
    "  systemctl enable --now berth",
    `  berth doctor --data ${resolve(given.data)} --env-file ${settings}`,
  ];
}

/** @throws UsageError */
function write(path: string, text: string, mode: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new UsageError(
      `cannot write ${path} (${code}): run the command as root, or name another folder with --to`,
    );
  }
}
