import { resolve } from "node:path";
import { isPostgresUrl } from "@berth/store";
import { SettingError } from "./setting.ts";

/** Where the database is: in a file, or on a server. */
export type DatabasePlace = {
  /** `sqlite:` and an absolute path, or `postgres://…` with the password in it. */
  databaseUrl: string;
  /** Null where the database is on a server. */
  databaseFile: string | null;
};

/** Reads `DATABASE_URL`. */
export function databasePlace(given: string, name: string): DatabasePlace {
  if (isPostgresUrl(given)) return { databaseUrl: onServer(given, name), databaseFile: null };
  if (!given.startsWith("sqlite:"))
    throw new SettingError(name, maskedUrl(given), "must start with sqlite: or postgres://");
  const path = given.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  // Not `:memory:`: what is acknowledged is to be there after a crash.
  if (path === "" || path.startsWith(":"))
    throw new SettingError(name, given, "must name a file behind sqlite:");
  return inFile(resolve(path));
}

/** Adds the password of a server to an address that has none. */
export function withPassword(place: DatabasePlace, password: string | null): DatabasePlace {
  if (password === null || place.databaseFile !== null) return place;
  const url = new URL(place.databaseUrl);
  if (url.password !== "") return place;
  // The setter of `URL` leaves "%" as it is, so that a password with one would be decoded to another.
  url.password = encodeURIComponent(password);
  return { ...place, databaseUrl: url.href };
}

export const inFile = (file: string): DatabasePlace => ({
  databaseUrl: `sqlite:${file}`,
  databaseFile: file,
});

function onServer(given: string, name: string): string {
  if (!URL.canParse(given) || new URL(given).pathname.length < 2)
    throw new SettingError(name, maskedUrl(given), "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  return given;
}

/** The address of a database for people: without a password. */
export function maskedUrl(url: string): string {
  return url.replace(/^([^:]+:\/\/[^:@/]*):[^@]*@/, "$1:***@");
}

/** Where the database is, for people: the path of its file, or the server's address without a password. */
export const shownDatabase = ({ databaseUrl, databaseFile }: DatabasePlace): string =>
  databaseFile ?? maskedUrl(databaseUrl);
