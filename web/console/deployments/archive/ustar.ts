/**
 * Writes tar archives as POSIX has them (IEEE 1003.1, `pax`): blocks of 512 bytes, a header before each file, two
 * empty blocks at the end. A path that the header has no room for goes before it in a record of its own.
 */

/** A file of an archive; `path` is relative, with `/` between its parts. */
export type ArchiveFile = { path: string; content: Blob };

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const encoder = new TextEncoder();

/** The bytes of an archive, piece by piece; of its files no more than a piece is in memory. */
export async function* tarOf(files: Iterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for (const { path, content } of files) {
    const isProgram = (await content.slice(0, 2).text()) === "#!";
    yield headOf(path, content.size, isProgram ? 0o755 : 0o644);
    yield* piecesOf(content);
    yield new Uint8Array(paddingOf(content.size));
  }
  yield new Uint8Array(2 * BLOCK);
}

async function* piecesOf(content: Blob): AsyncGenerator<Uint8Array> {
  const reader = content.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** What comes before a file: its header, and before that its path where the header has no room for it. */
function headOf(path: string, size: number, mode: number): Uint8Array {
  const place = placeOf(path);
  if (place) return header({ ...place, size, mode, type: "0" });
  const record = paxRecord("path", path);
  const body = new Uint8Array(record.length + paddingOf(record.length));
  body.set(record);
  return joined([
    header({ name: encoder.encode("PaxHeader"), prefix: none, size: record.length, mode, type: "x" }),
    body,
    // Readers that know no records see the end of the path.
    header({ name: encoder.encode(path).slice(-NAME_BYTES), prefix: none, size, mode, type: "0" }),
  ]);
}

const none = new Uint8Array(0);

type Place = { name: Uint8Array; prefix: Uint8Array };

/** A path in the two fields of a header; undefined when it does not fit. */
function placeOf(path: string): Place | undefined {
  const bytes = encoder.encode(path);
  if (bytes.length <= NAME_BYTES) return { name: bytes, prefix: none };
  const slash = "/".charCodeAt(0);
  for (let at = bytes.length - NAME_BYTES - 1; at <= PREFIX_BYTES && at < bytes.length - 1; at += 1)
    if (at > 0 && bytes[at] === slash) return { prefix: bytes.slice(0, at), name: bytes.slice(at + 1) };
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return encoder.encode(`${length} ${key}=${value}\n`);
}

type Header = Place & { size: number; mode: number; type: "0" | "x" };

function header({ name, prefix, size, mode, type }: Header): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  block.set(name, 0);
  put(100, `${octal(mode, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(148, " ".repeat(8));
  put(156, type);
  put(257, "ustar\u000000");
  block.set(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return block;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
