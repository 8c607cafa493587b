import { BUN_VERSION, VERSION } from "../version.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";

/** Whether the Bun that runs this is the one that it was made for. */
export function checkProgram(): DoctorVerdict {
  const here = `Berth ${VERSION} on Bun ${Bun.version}, ${process.platform}-${process.arch}`;
  const order = Bun.semver.order(Bun.version, BUN_VERSION);
  if (order === 0) return ok(here);
  if (order < 0) return failure(here, `use Bun ${BUN_VERSION}, or the executable, which brings it along`);
  return warning(here, `it was made for Bun ${BUN_VERSION}: use that one where something looks odd`);
}
