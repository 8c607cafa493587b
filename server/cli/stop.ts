import { type ArgsDef, defineCommand } from "citty";
import { startProcessLog } from "../log/index.ts";
import { holdProgram, runningBerths } from "../machine/index.ts";
import { openOutgoing } from "../outgoing/index.ts";
import { publicUrlOf, readSettings, type Settings } from "../settings/index.ts";
import { checkArguments, UsageError } from "./arguments.ts";
import { environmentFile } from "./environment-file.ts";
import { openExisting } from "./existing-database.ts";
import { failWith } from "./fail.ts";
import { ownEnvironment } from "./own-environment.ts";
import { flags } from "./start.ts";

const args = {
  data: flags.data,
  all: { type: "boolean", default: false, description: "Stop the deployed agents, too" },
  "env-file": environmentFile,
} satisfies ArgsDef;

/** What ending takes beyond the time that runs and deployed agents get. */
const EXTRA_MS = 30_000;
const LOOK_EVERY_MS = 50;

export const stop = defineCommand({
  meta: {
    name: "stop",
    description: "Stop the Berth of a data folder; deployed agents go on, unless --all stops them",
  },
  args,
  run: async ({ args: given, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const settings = readSettings({ DATA_DIR: given.data }, ownEnvironment(given, {}).settings(), ".");
      await stopBerths(settings, given.all ? "SIGINT" : "SIGTERM");
      if (given.all) await stopLeft(settings);
    } catch (error) {
      failWith(error);
    }
  },
});

/** @throws UsageError one of them does not end in time */
async function stopBerths(
  { dataDir, shutdownGraceSeconds }: Settings,
  signal: NodeJS.Signals,
): Promise<void> {
  const pids = runningBerths(dataDir);
  if (pids.length === 0) say(`No Berth runs on ${dataDir}.`);
  for (const pid of pids) process.kill(pid, signal);
  const until = performance.now() + shutdownGraceSeconds * 1_000 + EXTRA_MS;
  for (const pid of pids) {
    while (runningBerths(dataDir).includes(pid)) {
      if (performance.now() > until)
        throw new UsageError(`process ${pid} has not stopped yet: its runs may need longer; kill -9 ends it`);
      await Bun.sleep(LOOK_EVERY_MS);
    }
    say(`Berth (process ${pid}) has stopped.`);
  }
}

/** Stops what a Berth left that was killed, or was stopped without --all. */
async function stopLeft(settings: Settings): Promise<void> {
  startProcessLog(settings);
  const db = await openExisting(settings);
  try {
    const url = publicUrlOf(settings, settings.port);
    const place = { db, clock: db.clock, publicUrl: () => url, port: () => settings.port };
    const outgoing = await openOutgoing(settings, place);
    const { createControl } = await import("../control/index.ts");
    const control = createControl({
      ...place,
      ...outgoing,
      settings,
      environment: process.env,
      ownUrl: () => url,
      program: holdProgram(settings.dataDir, () => undefined),
      mayLead: true,
    });
    await control.stopLeft();
    say("No deployed agent of this data folder runs any more. The next start starts them again.");
  } finally {
    await db.close();
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);
