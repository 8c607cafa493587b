import { type ArgsDef, defineCommand } from "citty";
import {
  type FoundSetting,
  findSettings,
  isSecretName,
  MASK,
  maskedUrl,
  publicUrlOf,
  type Settings,
  shown,
  sourcesOf,
  unknownSettings,
  unknownText,
} from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { environmentFile, judgedEnvironment } from "./environment-file.ts";
import { failWith } from "./fail.ts";
import { flags } from "./start.ts";

const args = {
  ...flags,
  "env-file": environmentFile,
  changed: { type: "boolean", default: false, description: "Show only settings that are not the default" },
  json: { type: "boolean", default: false, description: "Print JSON" },
} satisfies ArgsDef;

/** A setting as it is in force. */
type Line = {
  name: string;
  /** Null where nothing is set and nothing is the default. */
  value: string | null;
  from: string;
  /** The alias under which it was found. */
  set_as?: string;
};

export const config = defineCommand({
  meta: { name: "config", description: "Show the present value of every setting, and where it comes from" },
  args,
  run: ({ args: given, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const { lines, unknown } = inForce(given);
      const wanted = given.changed ? lines.filter(({ from }) => from !== "default") : lines;
      if (given.json) process.stdout.write(`${JSON.stringify({ settings: wanted, unknown }, null, 2)}\n`);
      else process.stdout.write(textOf(wanted, unknown.map(unknownText)));
    } catch (error) {
      failWith(error);
    }
  },
});

type Given = Partial<Record<"port" | "host" | "data" | "env-file", string>>;

function inForce({ port, host, data, "env-file": file }: Given) {
  const environment = judgedEnvironment(file, process.env);
  const sources = sourcesOf({ PORT: port, HOST: host, DATA_DIR: data }, environment, ".");
  const { settings, found } = findSettings(sources);
  const made = madeValues(settings);
  const unknown = unknownSettings(Object.assign({}, ...sources.toReversed().map(({ texts }) => texts)));
  return { lines: found.map((setting) => lineOf(setting, made, file)), unknown };
}

/** What is made of several settings, or of where the command is called. */
const madeValues = (settings: Settings): Record<string, string> => ({
  DATA_DIR: settings.dataDir,
  DATABASE_URL: maskedUrl(settings.databaseUrl),
  PUBLIC_URL: publicUrlOf(settings, settings.port),
  LOG_FORMAT: settings.logFormat,
});

function lineOf({ names, fallback, found }: FoundSetting, made: Record<string, string>, file?: string): Line {
  const [name = ""] = names;
  const value = made[name] ?? found?.given ?? defaultText(fallback);
  const place = found?.from === "environment" && file !== undefined ? file : found?.from;
  return {
    name,
    value: value === null ? null : maskedText(name, value),
    from: place ?? "default",
    ...(found && found.name !== name && { set_as: found.name }),
  };
}

function defaultText(fallback: unknown): string | null {
  if (Array.isArray(fallback)) return fallback.length === 0 ? null : fallback.join(",");
  return fallback === null || typeof fallback === "object" ? null : String(fallback);
}

/** A chat's address can be all that is needed to post there; a graph's configuration may hold its keys. */
function maskedText(name: string, value: string): string {
  if (name === "CHAT_API_URL") return `${new URL(value).origin}/${MASK}`;
  if (name !== "LANGGRAPH_CONFIG") return shown(name, value);
  const hide = (member: string, held: unknown) =>
    isSecretName(member) && typeof held === "string" ? MASK : held;
  return JSON.stringify(JSON.parse(value, hide));
}

function textOf(lines: readonly Line[], unknown: readonly string[]): string {
  const nameWidth = Math.max(0, ...lines.map(({ name }) => name.length));
  const placeOf = ({ from, set_as }: Line) => (set_as === undefined ? from : `${from}, as ${set_as}`);
  const placeWidth = Math.max(0, ...lines.map((line) => placeOf(line).length));
  const rows = lines.map(
    (line) => `${line.name.padEnd(nameWidth)}  ${placeOf(line).padEnd(placeWidth)}  ${line.value ?? "-"}`,
  );
  const rest = unknown.length === 0 ? [] : ["", `Berth has no setting of this name: ${unknown.join(", ")}`];
  return `${[...rows, ...rest].join("\n")}\n`;
}
