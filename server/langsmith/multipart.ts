import { BadRequest } from "@berth/store";

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
export function partsOf(body: Buffer, contentType: string | null): Part[] {
  const boundary = boundaryOf(contentType);
  const parts: Part[] = [];
  // What comes before the first boundary is nobody's.
  let at = body.indexOf(`--${boundary}`);
  if (at === -1) throw new BadRequest("The multipart body has no part");
  const between = Buffer.from(`${LINE}--${boundary}`);
  at += between.length - LINE.length;
  while (!startsWith(body, at, "--")) {
    if (parts.length >= MOST_PARTS) throw new BadRequest(`More than ${MOST_PARTS} parts in one request`);
    const headEnd = body.indexOf(HEAD_END, at);
    if (headEnd === -1 || headEnd - at > LONGEST_HEAD) throw ended();
    const start = headEnd + HEAD_END.length;
    const end = body.indexOf(between, start);
    if (end === -1) throw ended();
    parts.push({ name: nameOf(body.toString("utf8", at, headEnd)), bytes: body.subarray(start, end) });
    at = end + between.length;
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

const ended = () => new BadRequest("The multipart body ended before it was whole");
