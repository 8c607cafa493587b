import { existsSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseFacts, databaseFacts } from "@berth/store";
import type { Settings, Texts } from "../settings/index.ts";

/** What is examined: settings, what they lead to, and whether a Berth runs with them right now. */
export type Patient = {
  settings: Settings;
  /** Everything that Berth is started with. */
  environment: Texts;
  /** Where this very process listens; null for one that only looks. */
  running: { port: number; publicUrl: string } | null;
  /** What SQLite finds wrong with a database file. */
  faultsOf(file: string): Promise<string[]>;
};

/** The database that a deployment has for itself. */
export const deploymentDatabase = (dataDir: string, id: string): string =>
  join(dataDir, "deployments", id, "data", "berth.db");

/** What the database says; null while there is none, or none that can be read. */
export function factsOf({ settings }: Patient): DatabaseFacts | null {
  if (settings.databaseFile === null || !existsSync(settings.databaseFile)) return null;
  try {
    return databaseFacts(settings.databaseFile);
  } catch {
    // The check of the database says so.
    return null;
  }
}
