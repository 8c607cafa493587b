import { existsSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseFacts, databaseFacts, type ServerFacts, serverFacts, systemClock } from "@berth/store";
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
  /** The time, where it is not that of this machine. */
  now?(): number;
};

/** The database that a deployment has for itself. */
export const deploymentDatabase = (dataDir: string, id: string): string =>
  join(dataDir, "deployments", id, "data", "berth.db");

/** Each is asked once: several checks go by it. */
const facts = new WeakMap<Patient, Promise<DatabaseFacts | null>>();
const servers = new WeakMap<Patient, Promise<ServerFacts>>();

/** What the database says, in a file or on a server; null while there is none, or none that can be read. */
export function factsOf(patient: Patient): Promise<DatabaseFacts | null> {
  const { databaseFile, databaseUrl } = patient.settings;
  if (databaseFile !== null && !existsSync(databaseFile)) return Promise.resolve(null);
  // The check of the database says so.
  const asked = facts.get(patient) ?? databaseFacts(databaseUrl).catch(() => null);
  facts.set(patient, asked);
  return asked;
}

/** What the server says that the database is on. @throws UnusableDatabase it does not answer */
export function serverOf(patient: Patient): Promise<ServerFacts> {
  const asked = servers.get(patient) ?? serverFacts(patient.settings.databaseUrl, () => nowOf(patient));
  servers.set(patient, asked);
  return asked;
}

/** What this machine takes for the time. */
export const nowOf = (patient: Patient): number => patient.now?.() ?? systemClock.now();

export const isOnServer = ({ settings }: Patient): boolean => settings.databaseFile === null;

/** Whether there is a database to ask: a new data folder has none. */
export const hasDatabase = ({ settings: { databaseFile } }: Patient): boolean =>
  databaseFile === null || existsSync(databaseFile);

export const isInFile = (patient: Patient): boolean => !isOnServer(patient);
