import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./run.ts";

const folder = join(ROOT, "store", "migrations");
export const LANDED = join(folder, "landed.json");

/** Migration name → SHA-256 of its file when it landed. */
export function readLanded(): Record<string, string> {
  return existsSync(LANDED) ? JSON.parse(readFileSync(LANDED, "utf8")) : {};
}

export function hashOf(migration: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, `${migration}.ts`))).digest("hex");
}
