import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { BadRequest, isDiskFull, NO_ROOM, TooLarge, Unavailable } from "@berth/store";

export type UploadPlace = { folder: string; name: string; mostBytes: number };

export type Received = { bytes: number; sha256: string };

/**
 * Writes a request's body to a file, piece by piece, and tells its size and SHA-256. When it resolves, the file is
 * on the disk under its name; when it throws, there is nothing of it.
 * @throws TooLarge | BadRequest | Unavailable
 */
export async function receive(request: Request, { folder, name, mostBytes }: UploadPlace): Promise<Received> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > mostBytes) throw tooLarge(mostBytes);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = join(folder, `${name}.part`);
  try {
    const file = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    const received = await write(request, file, mostBytes).finally(() => file.close());
    if (received.bytes === 0) throw new BadRequest("The archive is empty");
    if (!Number.isNaN(declared) && received.bytes !== declared) throw cutOff();
    await rename(part, join(folder, name));
    await settle(folder);
    return received;
  } catch (error) {
    await rm(part, { force: true });
    throw isDiskFull(error) ? new Unavailable(`${NO_ROOM} for the archive`) : error;
  }
}

async function write(request: Request, file: FileHandle, mostBytes: number): Promise<Received> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of piecesOf(request)) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    hash.update(chunk);
    for (let written = 0; written < chunk.byteLength; )
      written += (await file.write(chunk, written)).bytesWritten;
  }
  // Whoever is told that it is here must find it here after a power cut as well.
  await file.sync();
  return { bytes, sha256: hash.digest("hex") };
}

async function* piecesOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw cutOff();
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Nobody reads the rest of what is too large.
    await reader.cancel().catch(() => undefined);
  }
}

async function settle(folder: string): Promise<void> {
  const directory = await open(folder, constants.O_RDONLY);
  await directory.sync().finally(() => directory.close());
}

const tooLarge = (mostBytes: number) =>
  new TooLarge(`The archive is larger than the limit of ${mostBytes} bytes`);

const cutOff = () => new BadRequest("The archive ended before it was whole: ask for a new upload address");
