import type { Kysely } from "kysely";
import type { Schema } from "../schema/index.ts";
import { isOnServer } from "./prepared.ts";

/** A text as a column keeps it: bytes where it was packed. */
export type PackedText = string | Uint8Array;

/** A shorter text is not worth the time. */
const WORTH_CHARS = 512;
/** The fastest: what repeats is gone by then, and a run waits for it. */
const LEVEL = 1;

/** Packs a text that repeats itself, for a file. On a server, Postgres does that by itself. */
export function packText(db: Kysely<Schema>, text: string): PackedText {
  if (text.length < WORTH_CHARS || isOnServer(db)) return text;
  return Bun.zstdCompressSync(text, { level: LEVEL });
}

/** The text that was packed, or that was not. */
export function unpackText(packed: PackedText): string {
  return typeof packed === "string" ? packed : Bun.zstdDecompressSync(packed).toString("utf8");
}
