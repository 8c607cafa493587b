import { gunzip, inflate, zstdDecompress } from "node:zlib";
import { BadRequest, TooLarge } from "@berth/store";

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
 * @throws TooLarge | BadRequest
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const sent = await sentBytes(request, maxBytes);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return sent;
  const unpack = unpackers[encoding];
  if (!unpack) throw new BadRequest(`Content-Encoding ${encoding} is not known here: send gzip or zstd`);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  unpack(sent, { maxOutputLength: maxBytes }, (error, bytes) => {
    if (!error) resolve(bytes);
    else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(maxBytes));
    else reject(new BadRequest(`The body is not what its Content-Encoding ${encoding} says`));
  });
  return promise;
}

async function sentBytes(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    throw new BadRequest("The request body ended before it was whole");
  }
  return Buffer.concat(chunks, size);
}

const tooLarge = (maxBytes: number) =>
  new TooLarge(`Request body is larger than the limit of ${maxBytes} bytes, packed or unpacked`);
