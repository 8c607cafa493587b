import { logger, startProcessLog } from "../log/index.ts";
import type { FoundSetting, Settings } from "../settings/index.ts";

/** Settings with where each came from. */
export type SettingsReading = { settings: Settings; found: readonly FoundSetting[] };

/** What counts from then on; everything else is for the next start. */
const AT_ONCE = new Set(["LOG_LEVEL", "LOG_FORMAT", "LOG_JSON"]);
const log = logger("settings");

/**
 * Takes signals that others send to a service and that would end it: SIGHUP reads the settings again, the two that log
 * rotators like to send mean nothing, since the log is standard output.
 */
export function onHangup(first: SettingsReading, read: () => SettingsReading): void {
  let before = first;
  if (process.stdin.isTTY !== true) process.on("SIGHUP", again);
  function again(): void {
    try {
      const now = read();
      const changed = changedNames(before.found, now.found);
      before = now;
      startProcessLog(now.settings);
      log.info("settings read again", {
        changed: changed.filter((name) => AT_ONCE.has(name)),
        at_next_start: changed.filter((name) => !AT_ONCE.has(name)),
      });
    } catch (error) {
      log.error("settings could not be read again, and stay as they are", { error });
    }
  }
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () => log.info("signal without a meaning", { signal }));
}

function changedNames(before: readonly FoundSetting[], now: readonly FoundSetting[]): string[] {
  const given = new Map(before.map(({ names, found }) => [names[0], found?.given]));
  return now.flatMap(({ names: [name = ""], found }) => (given.get(name) === found?.given ? [] : [name]));
}
