import { gunzip, inflate, zstdDecompress } from "node:zlib";
import { BadRequest, TooLarge, Turns } from "@berth/store";
import { readBytes, withinBudget } from "../http/index.ts";

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }, done: Unpacked) => void;
type Unpacked = (error: Error | null, bytes: Buffer) => void;

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  zstd: zstdDecompress,
};

/**
 * The bytes of a body, unpacked where it came compressed. The limit counts for what is sent and for what that
 * becomes: unpacking stops there, however much more there would be.
 * @throws TooLarge | TooMany | BodyTimeout | BadRequest
 */
export async function readUnpacked(request: Request, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const isPlain = encoding === "identity" || encoding === "";
  const unpack = unpackers[encoding];
  if (!isPlain && !unpack)
    throw new BadRequest(`Berth does not know the Content-Encoding ${encoding}: send gzip or zstd`);
  const sent = await readBytes(request, maxBytes);
  if (!unpack) return sent;
  // A few bytes can become as many as the limit allows.
  return withinBudget(request, maxBytes, () => unpacked(sent, { unpack, encoding, maxBytes }));
}

type Packing = { unpack: Unpack; encoding: string; maxBytes: number };

function unpacked(sent: Buffer, { unpack, encoding, maxBytes }: Packing): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  unpack(sent, { maxOutputLength: maxBytes }, (error, bytes) => {
    if (!error) resolve(bytes);
    else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(maxBytes));
    else reject(new BadRequest(`The body is not what its Content-Encoding ${encoding} says`));
  });
  return promise;
}

const tooLarge = (maxBytes: number) =>
  new TooLarge(`Request body is larger than the limit of ${maxBytes} bytes, compressed or not`);

/** A named piece of a multipart body. */
export type Part = { name: string; bytes: Buffer };

/** Ten for each of as many runs as no client sends at once. */
const MOST_PARTS = 20_000;
const LONGEST_HEAD = 8_192;
const LINE = "\r\n";
const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * Cuts a multipart body (RFC 2046 §5.1.1) into its parts. Their bytes stay where they are: nothing is copied.
 * @throws BadRequest no multipart body, or one that ended too early
 */
export async function partsOf(body: Buffer, contentType: string | null): Promise<Part[]> {
  const boundary = boundaryOf(contentType);
  const parts: Part[] = [];
  // What comes before the first boundary is nobody's.
  let at = body.indexOf(`--${boundary}`);
  if (at === -1) throw new BadRequest("The multipart body has no part");
  const between = Buffer.from(`${LINE}--${boundary}`);
  at += between.length - LINE.length;
  const turns = new Turns();
  while (!startsWith(body, at, "--")) {
    if (parts.length >= MOST_PARTS) throw new BadRequest(`More than ${MOST_PARTS} parts in one request`);
    const headEnd = body.indexOf(HEAD_END, at);
    if (headEnd === -1 || headEnd - at > LONGEST_HEAD) throw ended();
    const start = headEnd + HEAD_END.length;
    const end = body.indexOf(between, start);
    if (end === -1) throw ended();
    parts.push({ name: nameOf(body.toString("utf8", at, headEnd)), bytes: body.subarray(start, end) });
    at = end + between.length;
    await turns.rest();
  }
  return parts;
}

function boundaryOf(contentType: string | null): string {
  const found = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(
    contentType ?? "",
  );
  const boundary = found?.[1] ?? found?.[2];
  if (!boundary) throw new BadRequest("Send the body as multipart/form-data, with a boundary");
  return boundary;
}

function nameOf(head: string): string {
  const name = /^content-disposition:.*?[;\s]name="([^"]*)"/im.exec(head)?.[1];
  if (name === undefined) throw new BadRequest("A part of the multipart body has no name");
  return name;
}

const startsWith = (body: Buffer, at: number, text: string) =>
  body.toString("latin1", at, at + text.length) === text;

const ended = () => new BadRequest("The multipart body was cut off");
