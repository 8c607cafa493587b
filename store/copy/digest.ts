import { unpackText } from "../database/index.ts";
import type { CopiedRow, CopiedTable, CopiedValue } from "./copied-table.ts";

/** How many rows a table has, and a checksum over all that is in them, whatever their order. */
export type TableDigest = { rows: number; checksum: string };

/** What stands for U+0000, which Postgres keeps in no text. */
const INSTEAD_OF_NUL = "\ufffd";

/** A number is not the same on the way through a database and this program. */
export class NotCopyable extends Error {
  override name = "NotCopyable";
}

/** Adds up rows, on both sides of a copy by the same rules. */
export class Digester {
  #rows = 0;
  #sum = 0n;

  add(rows: readonly CopiedRow[]): void {
    for (const row of rows) this.#sum += Bun.hash.xxHash3(canonical(row));
    this.#sum = BigInt.asUintN(64, this.#sum);
    this.#rows += rows.length;
  }

  get digest(): TableDigest {
    return { rows: this.#rows, checksum: this.#sum.toString(16).padStart(16, "0") };
  }
}

/** The same text for the same row: each value with its kind, and as long as it says. */
function canonical(row: CopiedRow): string {
  let text = "";
  for (const value of row) {
    if (value === null) text += "z";
    else if (typeof value === "number") text += `n${value};`;
    else if (typeof value === "string") text += `t${value.length};${value}`;
    else text += `b${value.length};${value.toHex()}`;
  }
  return text;
}

const plainText = (text: string) => (text.includes("\0") ? text.replaceAll("\0", INSTEAD_OF_NUL) : text);

/** A value as it is copied and compared: both engines can keep it. @throws NotCopyable */
export function plainValue(value: unknown, { name, columns }: CopiedTable, at: number): CopiedValue {
  const column = columns[at];
  // Packed text, which only a file has.
  if (value instanceof Uint8Array && column?.kind === "text") return plainText(unpackText(value));
  if (typeof value === "string") return plainText(value);
  if (value === null || value instanceof Uint8Array) return value;
  const number = typeof value === "boolean" || typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number") throw new NotCopyable(`${name}.${column?.name} holds a ${typeof value}`);
  if (column?.kind === "integer" && !Number.isSafeInteger(number))
    throw new NotCopyable(`${name}.${column.name} holds ${value}, which is no whole number below 2^53`);
  if (column?.kind !== "integer" && column?.kind !== "real")
    throw new NotCopyable(`${name}.${column?.name} holds the number ${value} where text belongs`);
  // Minus zero is zero in one of them.
  return number === 0 ? 0 : number;
}
