import { existsSync } from "node:fs";
import { type Database, openDatabase } from "@berth/store";
import type { DatabasePlace } from "../settings/index.ts";
import { UsageError } from "./arguments.ts";

/**
 * Opens a database that Berth has written to, or should have.
 * @throws UsageError there is no file
 */
export async function openExisting(place: DatabasePlace): Promise<Database> {
  requireThere(place);
  return openDatabase(place.databaseUrl);
}

/** @throws UsageError there is no file */
export function requireThere({ databaseFile }: DatabasePlace): void {
  if (databaseFile !== null && !existsSync(databaseFile))
    throw new UsageError(`there is no database at ${databaseFile}: name its folder with --data`);
}
