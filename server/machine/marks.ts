import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";

/** The variables by which whatever an instance started is found again, whoever its parent is by now. */
export const INSTANCE_MARK = "BERTH_INSTANCE";
export const DATA_MARK = "BERTH_DATA";
/** The revision that a program is run for while it is built. */
export const BUILD_MARK = "BERTH_BUILD";
export const DEPLOYMENT_MARK = "LANGSMITH_HOST_PROJECT_ID";

/** Stands for a data folder in the marks of what runs for it: several Berths may be on one machine. */
export function dataMark(dataDir: string): string {
  return createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 16);
}
