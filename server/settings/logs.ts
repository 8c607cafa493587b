import { getLogLevels, type LogLevel } from "@logtape/logtape";
import { type Read, SettingError, taking } from "./setting.ts";
import { boolean, oneOf } from "./setting-values.ts";

/** How the log is written: for people, or for programs. */
export type LogFormat = "pretty" | "json";

export const logs = (read: Read, isTerminal: boolean) => ({
  secretPrefixes: read("SECRET_PREFIXES", secretPrefixes, [], {
    means:
      "beginnings of credentials, such as `acme_`. Berth [masks](operations.md#masked-credentials) what begins so in errors, logs and traces, beside the formats that it knows",
  }),
  logLevel: read("LOG_LEVEL", logLevel, "info", { means: "the lowest level that Berth writes" }),
  logFormat:
    read("LOG_FORMAT", oneOf<LogFormat>(["pretty", "json"]), null, {
      means: "the format of the lines",
      usual: "`pretty` on a terminal, else `json`",
    }) ??
    read("LOG_JSON", jsonFormat, null, {
      means:
        "the name that the official server has for this setting: `true` is `json`, `false` is `pretty`. `LOG_FORMAT` beats it",
    }) ??
    (isTerminal ? "pretty" : "json"),
});

const logLevel = taking<LogLevel>(
  getLogLevels()
    .map((level) => `\`${level}\``)
    .join(", "),
  (given, name) => {
    const wanted = given.toLowerCase();
    const spoken = wanted === "warn" ? "warning" : wanted === "critical" ? "fatal" : wanted;
    const level = getLogLevels().find((known) => known === spoken);
    if (level === undefined)
      throw new SettingError(name, given, `must be one of ${getLogLevels().join(", ")}`);
    return level;
  },
);

const LEAST_PREFIX = 3;
const MOST_PREFIXES = 50;

const secretPrefixes = taking<readonly string[]>(
  "beginnings of at least 3 characters; several with commas",
  (given, name) => {
    const all = given.split(",").map((prefix) => prefix.trim());
    if (all.length > MOST_PREFIXES || all.some((prefix) => prefix.length < LEAST_PREFIX))
      throw new SettingError(
        name,
        given,
        `must be at most ${MOST_PREFIXES} beginnings of at least 3 characters`,
      );
    return all;
  },
);

const jsonFormat = taking<LogFormat>("`true` or `false`", (given, name) =>
  boolean(given, name) ? "json" : "pretty",
);
