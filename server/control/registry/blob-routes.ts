import type { StoredBlob } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { registry } from "../../access/index.ts";
import { json, type Operation, operation } from "../../http/index.ts";
import type { BlobFiles } from "./blob-files.ts";
import {
  BASE,
  digestIn,
  imageParams,
  type RegistryRoutesDeps,
  repositoryOf,
  tag,
  usualAnswers,
} from "./deps.ts";

const PATH = `${BASE}/blobs/:digest`;
const params = Type.Object({ ...imageParams, digest: Type.String() });
/** Whoever pushes asks for a blob before the manifest: so often it is noted that it is still wanted. */
const NOTE_MS = 600_000;

/** Blobs of images. */
export const blobRoutes = (deps: RegistryRoutesDeps): Operation[] => [read(deps), remove(deps)];

const read = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: PATH,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "Pull a blob",
      params,
      headers: { Range: "`bytes=FIRST-LAST`: this part of it." },
      answers: {
        200: { description: "The blob", mediaType: "application/octet-stream" },
        206: { description: "The part that the request asks for", mediaType: "application/octet-stream" },
        404: "The image has no such blob",
        416: "The blob has no such part",
        ...usualAnswers,
      },
    },
    async (input) => {
      const { request, server } = input;
      const repository = await repositoryOf(deps, input, "pull");
      const digest = digestIn(input.path.digest);
      const blob = await deps.images.blob(repository, digest);
      if (request.method === "HEAD" && deps.arriving.isOld(blob.usedAt, NOTE_MS))
        await deps.arriving.keep(repository, digest);
      // Whoever takes it slowly takes all of it.
      server?.timeout(request, 0);
      return answer(deps.files, { blob, digest, request });
    },
  );

const remove = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: PATH,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "Remove a blob from an image",
      params,
      answers: {
        202: "The image no longer has it",
        404: "The image has no such blob",
        ...usualAnswers,
        403: "A manifest names it, or the token does not allow this",
      },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "push");
      await deps.images.deleteBlob(repository, digestIn(input.path.digest));
      return new Response(null, { status: 202 });
    },
  );

type Asked = { blob: StoredBlob; digest: string; request: Request };

function answer(files: BlobFiles, { blob, digest, request }: Asked): Response {
  const part = partOf(request.headers.get("range"), blob.bytes);
  if (part === "none") {
    const errors = [{ code: "SIZE_INVALID", message: `It has ${blob.bytes} bytes` }];
    return json({ errors }, 416, { "content-range": `bytes */${blob.bytes}` });
  }
  const [from, to] = part ?? [0, blob.bytes];
  const headers = {
    "content-type": "application/octet-stream",
    "docker-content-digest": digest,
    "accept-ranges": "bytes",
    "content-length": String(to - from),
    etag: `"${digest}"`,
    ...(part && { "content-range": `bytes ${from}-${to - 1}/${blob.bytes}` }),
  };
  const init = { status: part ? 206 : 200, headers };
  if (request.method === "HEAD") return new Response(null, init);
  const file = files.fileOf(blob.pieces);
  if (file !== undefined) return new Response(Bun.file(file).slice(from, to), init);
  return new Response(streamOf(files.read(blob.pieces, from, to)), init);
}

/** Taken from no faster than somebody reads it. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The bytes that a `Range` asks for; undefined for the whole, also where it asks for several parts. */
function partOf(range: string | null, bytes: number): [from: number, to: number] | "none" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return Number(last) === 0 ? "none" : [Math.max(0, bytes - Number(last)), bytes];
  const to = last === "" ? bytes : Math.min(bytes, Number(last) + 1);
  if (Number(first) >= bytes) return "none";
  return Number(first) < to ? [Number(first), to] : undefined;
}
