import { leave } from "../exit/index.ts";
import { jsonLineOf, terminalText } from "../log/index.ts";

/** Failures that the user can mend, told in one line. Anything else is a bug of ours and keeps its stack. */
const TOLD_IN_ONE_LINE = new Set([
  "SettingError",
  "UsageError",
  "UnknownCommand",
  "StartError",
  "ProjectError",
  "UnusableDatabase",
  "NewerSchema",
  "HalfCopied",
  "CompactionRefused",
  "CopyRefused",
  "FileInUse",
  "NotCopyable",
  "WrongSecretsKey",
  "NotFound",
  "Conflict",
  "BackupError",
  "BucketError",
]);

/**
 * Prints why a command failed and ends the process with exit code 1.
 * @param asJson as a line of a JSON log, where somebody has asked for one
 */
export function failWith(error: unknown, asJson = false): never {
  const known = error instanceof Error && TOLD_IN_ONE_LINE.has(error.name);
  if (asJson) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(jsonLineOf("fatal", message, known ? {} : { error }));
    leave(1);
  }
  process.stderr.write(`berth: ${terminalText(known ? error.message : Bun.inspect(error))}\n`);
  leave(1);
}
