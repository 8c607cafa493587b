import { getLogLevels, type LogLevel } from "@logtape/logtape";
import { type Read, SettingError, taking } from "./setting.ts";
import { boolean, oneOf } from "./setting-values.ts";

/** How the log is written: for people, or for programs. */
export type LogFormat = "pretty" | "json";

export const logs = (read: Read, isTerminal: boolean) => ({
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

const jsonFormat = taking<LogFormat>("`true` or `false`", (given, name) =>
  boolean(given, name) ? "json" : "pretty",
);
