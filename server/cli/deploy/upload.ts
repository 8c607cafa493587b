import { MOST_BYTES, megabytes } from "./archive.ts";
import { detailOf } from "./client.ts";
import type { DeploymentCalls } from "./deployments.ts";
import { DeployRefused, Unreachable } from "./failure.ts";
import type { Output } from "./output.ts";

const LIMIT_MS = 300_000;
const TRIES = 3;
const TOLD_EVERY_MS = 200;

/**
 * Brings an archive to the server. Each try has an address of its own: one that was used, even in vain, is spent.
 * @returns where the server keeps it, which a revision is told
 */
export async function uploadArchive(
  deployments: DeploymentCalls,
  deploymentId: string,
  file: string,
  output: Output,
): Promise<string> {
  output.step("Requesting upload URL");
  let place = await deployments.uploadUrl(deploymentId);
  output.step("Uploading source");
  for (let tried = 1; ; tried += 1) {
    try {
      const { upload_url: url } = place;
      await deployments.patience.spend(LIMIT_MS, (limitMs) => put(url, file, output, limitMs));
      return place.object_path;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (tried === TRIES) throw new Unreachable(`${error.message}. ${addressHint(place.upload_url)}`);
      output.warn(`${error.message}; trying again`);
      place = await deployments.uploadUrl(deploymentId);
    }
  }
}

function addressHint(url: string): string {
  return `The server itself gave out that address: if ${new URL(url).host} is not how it is reached from here, set PUBLIC_URL there`;
}

async function put(url: string, file: string, output: Output, limitMs: number): Promise<void> {
  const { size } = Bun.file(file);
  const sizeMb = megabytes(size);
  let response: Response;
  try {
    response = await fetch(url, {
      method: "PUT",
      // The address is its own permission: the key stays here.
      headers: {
        "content-type": "application/gzip",
        "content-length": String(size),
        "x-goog-content-length-range": `0,${MOST_BYTES}`,
      },
      body: counted(file, size, (percent) => output.upload(sizeMb, percent)),
      signal: AbortSignal.timeout(limitMs),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Unreachable(`the upload to ${new URL(url).origin} broke off (${why})`);
  }
  const { ok, status } = response;
  if (!ok)
    throw new DeployRefused(`PUT ${new URL(url).origin}/…`, status, detailOf(await response.text(), status));
  output.upload(sizeMb, 100);
}

/** The file's bytes, telling now and then how far they are. */
function counted(
  file: string,
  size: number,
  tell: (percent: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  let toldAt = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      sent += bytes.length;
      controller.enqueue(bytes);
      if (sent >= size || performance.now() - toldAt < TOLD_EVERY_MS) return;
      toldAt = performance.now();
      tell(Math.floor((sent / size) * 100));
    },
  });
  return Bun.file(file).stream().pipeThrough(count);
}
