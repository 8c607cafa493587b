import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A registry of images on loopback: as much of the distribution protocol as pushing and pulling need. */
export type ImageRegistry = {
  /** `127.0.0.1:PORT`, the first part of its images' names. */
  name: string;
  /** What an engine has to be told to speak with it without TLS. */
  env: Record<string, string>;
  /** The digest that a tag has now. */
  digest(repository: string, tag: string): string | undefined;
  /** Answers nobody any more. */
  stop(): Promise<void>;
};

type Manifest = { bytes: Uint8Array<ArrayBuffer>; type: string; digest: string };

/** @param folder for its settings */
export function serveImages(folder: string): ImageRegistry {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  const manifests = new Map<string, Manifest>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 2 ** 30,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const [, repository = "", kind, reference = ""] =
        /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
      if (kind === undefined) return Response.json({});
      if (kind === "manifests") return manifestAnswer(manifests, request, repository, reference);
      return blobAnswer(blobs, request, { pathname, reference, whole: searchParams.get("digest") });
    },
  });
  const name = `127.0.0.1:${server.port}`;
  const file = join(folder, "registries.conf");
  writeFileSync(file, `[[registry]]\nlocation = "${name}"\ninsecure = true\n`);
  return {
    name,
    env: { CONTAINERS_REGISTRIES_CONF: file },
    digest: (repository, tag) => manifests.get(`${repository}:${tag}`)?.digest,
    stop: () => server.stop(true),
  };
}

const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function manifestAnswer(
  manifests: Map<string, Manifest>,
  request: Request,
  repository: string,
  reference: string,
): Promise<Response> {
  if (request.method === "PUT") {
    const bytes = await request.bytes();
    const type = request.headers.get("content-type") ?? "";
    const manifest = { bytes, type, digest: digestOf(bytes) };
    for (const known of [reference, manifest.digest]) manifests.set(`${repository}:${known}`, manifest);
    return new Response(null, { status: 201, headers: { "Docker-Content-Digest": manifest.digest } });
  }
  const found = manifests.get(`${repository}:${reference}`);
  if (!found) return Response.json({ errors: [{ code: "MANIFEST_UNKNOWN" }] }, { status: 404 });
  return answer(request, found.bytes, { "Content-Type": found.type, "Docker-Content-Digest": found.digest });
}

async function blobAnswer(
  blobs: Map<string, Uint8Array<ArrayBuffer>>,
  request: Request,
  { pathname, reference, whole }: { pathname: string; reference: string; whole: string | null },
): Promise<Response> {
  if (request.method === "POST")
    return new Response(null, {
      status: 202,
      headers: { Location: `${pathname.replace(/\/$/, "")}/${Bun.randomUUIDv7()}` },
    });
  const upload = reference.split("/")[1] ?? "";
  if (request.method === "PATCH" || request.method === "PUT") {
    const bytes = Buffer.concat([blobs.get(upload) ?? new Uint8Array(), await request.bytes()]);
    if (whole === null) blobs.set(upload, bytes);
    else {
      blobs.delete(upload);
      if (digestOf(bytes) !== whole) return Response.json({ errors: [] }, { status: 400 });
      blobs.set(whole, bytes);
    }
    const status = whole === null ? 202 : 201;
    return new Response(null, { status, headers: { Location: pathname, Range: `0-${bytes.length - 1}` } });
  }
  const found = blobs.get(reference);
  if (!found) return Response.json({ errors: [{ code: "BLOB_UNKNOWN" }] }, { status: 404 });
  return answer(request, found, { "Docker-Content-Digest": reference });
}

function answer(request: Request, bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Response {
  const all = { ...headers, "Content-Length": String(bytes.length) };
  return new Response(request.method === "HEAD" ? null : bytes, { headers: all });
}
