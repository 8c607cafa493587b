import { leave } from "../leave.ts";

/** Failures that the user can mend, told in one line. Anything else is a bug of ours and keeps its stack. */
const TOLD_IN_ONE_LINE = new Set([
  "SettingError",
  "UsageError",
  "StartError",
  "ProjectError",
  "UnusableDatabase",
  "NewerSchema",
  "WrongSecretsKey",
  "NotFound",
  "BackupError",
]);

/** Prints why a command failed and ends the process with exit code 1. */
export function failWith(error: unknown): never {
  const known = error instanceof Error && TOLD_IN_ONE_LINE.has(error.name);
  process.stderr.write(known ? `berth: ${error.message}\n` : `berth: ${Bun.inspect(error)}\n`);
  leave(1);
}
