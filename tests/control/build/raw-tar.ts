import { gzipSync } from "node:zlib";

/** One entry as an attacker would write it: nothing is checked or mended. */
export type RawEntry = {
  name: string;
  /** Of the header: `0` file, `1` hard link, `2` symbolic link, `3` device, `5` folder, `x` pax, `L` long name. */
  type?: string;
  content?: string | Uint8Array;
  link?: string;
  mode?: number;
  /** What the header says, where that is not the content's size. */
  size?: number;
};

const BLOCK = 512;

/** The bytes of a tar with these entries. */
export function rawTar(entries: RawEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

export const rawTarGz = (entries: RawEntry[]): Buffer => gzipSync(rawTar(entries));

/** A pax header in front of an entry: it overrides what the entry's own header says. */
export function pax(records: Record<string, string>): RawEntry {
  const content = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (String(length).length + Buffer.byteLength(rest) !== length)
      length = String(length).length + Buffer.byteLength(rest);
    return `${length}${rest}`;
  });
  return { name: "PaxHeader", type: "x", content: content.join("") };
}

function blocksOf(entry: RawEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(BLOCK);
  header.write(entry.name, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 7), 100);
  header.write(`${octal(0, 7)}${octal(0, 7)}`, 108);
  header.write(octal(entry.size ?? content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("        ", 148);
  header.write(entry.type ?? "0", 156);
  header.write(entry.link ?? "", 157, 100);
  header.write("ustar\x0000", 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
