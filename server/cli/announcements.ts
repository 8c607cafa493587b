import { leave } from "../exit/index.ts";
import { writeJsonLine } from "../log/index.ts";
import { isOutlived } from "../machine/index.ts";
import type { Running } from "../process.ts";
import type { ServiceManager } from "../service/index.ts";
import { type Settings, settingText, type Texts } from "../settings/index.ts";
import { failWith } from "./fail.ts";
import { onStopSignal } from "./stop-signals.ts";

/**
 * Whether somebody has asked for JSON. Without being asked, the log is JSON where no terminal is, and why a start
 * failed is still a sentence on stderr, which is not the log.
 */
export function wantsJson(environment: Texts): boolean {
  const format = settingText(environment, "LOG_FORMAT");
  if (format) return /^\s*json\s*$/i.test(format);
  return /^\s*(?:true|1|yes|on)\s*$/i.test(settingText(environment, "LOG_JSON") ?? "");
}

type Told = Pick<Settings, "logFormat" | "dataDir" | "shutdownGraceSeconds">;

const ENDING_SECONDS = 20;

/** Says where it serves: in words, or as a line of the JSON log. */
export function announce(
  { url, agent }: Running,
  { dataDir, logFormat }: Told,
  { deployed = false }: { deployed?: boolean },
): void {
  const ready = `Berth is ready at ${url}`;
  const graphs = Object.keys(agent.project.graphs);
  if (logFormat === "json") {
    writeJsonLine(ready, { url, graphs, data: dataDir, pid: process.pid });
    return;
  }
  process.stdout.write(
    [
      ready,
      `  graphs   ${graphs.join(", ")}`,
      `  chat     ${url}/`,
      ...(deployed ? [] : [`  console  ${url}/console`]),
      `  docs     ${url}/docs`,
      `  health   ${url}/ok`,
      `  data     ${dataDir}`,
      "",
    ].join("\n"),
  );
}

/** The first signal stops gracefully, the second at once. */
export function stopOnSignal(
  { agent, stop }: Running,
  { logFormat, shutdownGraceSeconds }: Told,
  manager: ServiceManager,
): void {
  const isJson = logFormat === "json";
  const first = (signal: NodeJS.Signals) => {
    const { running } = agent.queue;
    // However long runs are given, and what ending takes: the manager's own limit may be shorter.
    manager.tell(`STOPPING=1\nEXTEND_TIMEOUT_USEC=${(shutdownGraceSeconds + ENDING_SECONDS) * 1_000_000}`);
    const runs = running === 1 ? "1 run" : `${running} runs`;
    const waiting = `Waiting for ${runs} to end; once more stops at once.`;
    if (isJson) writeJsonLine(running > 0 ? waiting : "Berth stops.", { signal, runs: running });
    else if (running > 0) process.stderr.write(`${waiting}\n`);
    // A supervisor that sends SIGTERM starts Berth again; a person who presses Ctrl-C wants everything to end.
    const deployments = signal === "SIGTERM" && isOutlived() ? "leave" : "stop";
    stop({ deployments }).then(
      () => {
        if (isJson) writeJsonLine("Berth has stopped.");
        leave(0);
      },
      (error) => failWith(error, isJson),
    );
  };
  onStopSignal({ first, again: () => leave(130) });
}
