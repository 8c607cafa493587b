import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand } from "citty";
import { DevSupervisor, isWatchedOver } from "../dev/index.ts";
import { PROJECT_FILES } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";
import { type Flags, flags, run } from "./start.ts";
import { onStopSignal } from "./stop-signals.ts";

const devFlags = {
  ...flags,
  reload: {
    type: "boolean",
    default: true,
    description: "Serve the project again when its code changes",
    negativeDescription: "Serve the project as it is now: do not reload changes",
  },
} as const;

/** Serves a project while it is written: a change of its code is served as soon as it loads. */
export const dev = defineCommand({
  meta: {
    name: "dev",
    description:
      "Serve a project while you write it: Berth reloads changes, and shows readable logs and every request",
  },
  args: devFlags,
  run: async ({ args, rawArgs }) => {
    const given = rawArgs.filter((word) => word !== "--no-reload" && word !== "--reload");
    if (args.reload && !isWatchedOver() && hasProject(args)) await watchOver(args, given);
    else await run(args, given, { template: true, watchPage: true, watched: isWatchedOver(), defaults });
  },
});

const defaults = { LOG_FORMAT: "pretty", LOG_LEVEL: "debug" };

/** The built-in template is not written by anybody here. */
const hasProject = ({ project }: Flags) =>
  project !== undefined || PROJECT_FILES.some((name) => existsSync(join(resolve("."), name)));

async function watchOver(args: Flags, given: string[]): Promise<void> {
  try {
    checkArguments(given, flags);
    const supervisor = new DevSupervisor({
      command: ownCommand(),
      watched: { folders: [resolve(args.project ?? ".")], except: [resolve(args.data ?? "data")] },
      say: (line) => process.stderr.write(`berth: ${line}\n`),
    });
    supervisor.start();
    onStopSignal({
      first: () => void supervisor.stop().then(() => process.exit(0), failWith),
      again: () => {
        supervisor.kill();
        process.exit(130);
      },
    });
  } catch (error) {
    failWith(error);
  }
}

/** This very command again. In an executable the program is not a file that could be named. */
function ownCommand(): string[] {
  const [, program = "", ...words] = process.argv;
  const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/i.test(program);
  return isExecutable
    ? [process.execPath, ...words]
    : [process.execPath, ...process.execArgv, program, ...words];
}
