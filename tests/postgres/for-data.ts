import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { because } from "../skips.ts";
import { databaseOn, dropDatabase, execute, serverUrl } from "./server.ts";

/** Whether the tests of processes start them on a Postgres server: `DATABASE=postgres` asks for it. */
export const ON_POSTGRES = process.env.DATABASE === "postgres";

/** Why what is about the file of a database is not tested on a server. */
export const noFile = because(ON_POSTGRES, "is about the file of a database, and this one is on a server");

/** What a process with secrets on a server has to be told. */
const SECRETS_KEY = "a key for the secrets of the tests only";

const made = new Map<string, Promise<string>>();

/** The settings of a process whose database belongs to a data folder; it is made with the first. */
export async function databaseSettings(data: string): Promise<Record<string, string>> {
  if (!ON_POSTGRES) return {};
  let url = made.get(data);
  if (!url) {
    await forgetGone();
    url = makeDatabase(data);
    made.set(data, url);
  }
  return { DATABASE_URL: await url, SECRETS_KEY };
}

async function makeDatabase(data: string): Promise<string> {
  const server = await serverUrl();
  const name = `berth_${Bun.hash(data).toString(36)}`;
  const known = await execute(server, `select 1 from pg_database where datname = '${name}'`);
  if (known.length === 0) await execute(server, `create database ${name}`);
  return databaseOn(server, name);
}

/** The address of the database in a file; with `DATABASE=postgres`, of one on a server that stands for the file. */
export async function databaseUrl(file: string): Promise<string> {
  const { DATABASE_URL } = await databaseSettings(file);
  return DATABASE_URL ?? `sqlite:${file}`;
}

/** Removes those whose files are in folders that are gone. */
async function forgetGone(): Promise<void> {
  for (const file of made.keys()) if (!existsSync(dirname(file))) await forgetDatabase(file);
}

/** Removes it with its data folder. */
export async function forgetDatabase(data: string): Promise<void> {
  const url = made.get(data);
  made.delete(data);
  if (url) await dropDatabase(await url);
}
