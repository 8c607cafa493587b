import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { BadRequest, isDiskFull, NO_ROOM, NotFound, TooLarge, Unavailable } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byUploadAddress, controlPlane } from "../../access/index.ts";
import { bodyPieces, isoTime, json, type Operation, operation, workspaceOf } from "../../http/index.ts";
import { imagePlatform } from "../../machine/index.ts";
import { KeptUpload, PushToken, UploadTarget } from "../wire/index.ts";
import { type ControlRoutesDeps, deploymentParams } from "./deps.ts";

type Deps = Pick<
  ControlRoutesDeps,
  "deployments" | "uploads" | "archives" | "registry" | "quotas" | "settings"
>;

const tag = "Uploads";
/** As large as an archive may be; released tools promise the same in a header. */
const UPLOAD_BYTES = 209_715_200;

/** How you send archives of projects, and images, to Berth. */
export const uploadRoutes = (deps: Deps): Operation[] => [
  uploadUrl(deps, "/v2/deployments/:deployment_id/upload-url"),
  uploadUrl(deps, "/deployments/:deployment_id/upload-url"),
  upload(deps),
  pushToken(deps),
];

const uploadUrl = ({ deployments, uploads, quotas, settings }: Deps, path: string) =>
  operation(
    {
      method: "POST",
      path,
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get an address to upload to",
      description:
        "For the sources `internal_source` (a tar archive, gzipped or not) and `internal_docker` (what `docker save` writes).",
      params: deploymentParams,
      answers: {
        200: { description: "The address", schema: UploadTarget },
        400: "The deployment's source needs no upload",
        404: "No such deployment",
        409: "The deployment has 50 uploads that no revision uses, or its workspace as many as it may have; or the workspace uses too much disk",
      },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { id, source } = await deployments.get(workspaceId, path.deployment_id);
      if (source !== "internal_source" && source !== "internal_docker")
        throw new BadRequest(`Nothing is uploaded for the source ${source}`);
      const { token, objectPath, expiresAt } = await quotas.counted(uploads.issue(workspaceId, id));
      const upload_url = `${settings.publicUrl()}/v2/uploads/${token}`;
      return json({ upload_url, object_path: objectPath, expires_at: isoTime(expiresAt) });
    },
  );

const upload = ({ uploads, archives, quotas }: Deps) =>
  operation(
    {
      method: "PUT",
      path: "/v2/uploads/:token",
      access: byUploadAddress,
      bodyLimit: UPLOAD_BYTES,
      tag,
      summary: "Upload an archive",
      description: `Use the address that Berth gave you, once and before it expires. At most ${UPLOAD_BYTES} bytes.`,
      params: Type.Object({ token: Type.String() }),
      verify: ({ path, request }) => quotas.counted(openedUpload(uploads, path.token, request)),
      rawBody: { mediaType: "application/gzip", description: "The archive." },
      answers: {
        200: { description: "Berth has stored it", schema: KeptUpload },
        400: "The archive was cut off, is empty, or is only a part (`Content-Range`)",
        404: "The address was used before, has expired, or never existed; or the deployment is deleted",
        409: "The workspace uses too much disk",
        503: "The disk is full",
      },
    },
    async ({ request, verified: opened }) => {
      const received = await receive(request, archives, opened.id);
      if (!(await uploads.received(opened.id, received)))
        throw new NotFound("The deployment of this upload is being deleted");
      return json({ object_path: opened.object_path, ...received });
    },
  );

/** @throws BadRequest | NotFound | QuotaReached */
async function openedUpload(uploads: Deps["uploads"], token: string, { headers }: Request) {
  // RFC 9110, 14.4: whoever takes no parts must not take one for the whole.
  if (headers.has("content-range"))
    throw new BadRequest("An archive is sent whole: parts of one (Content-Range) are not taken");
  const opened = await uploads.open(token);
  if (!opened) throw new NotFound("This upload address has been used, has expired, or never was one");
  return opened;
}

const pushToken = ({ deployments, registry }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments/:deployment_id/push-token",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get a token to push an image with",
      description:
        "For the source `internal_docker`. With it, an engine pushes and pulls the images of this deployment for an hour: `docker login --username oauth2accesstoken`, with the token as password.",
      params: deploymentParams,
      answers: {
        200: { description: "The token", schema: PushToken },
        400: "The source is not `internal_docker`",
        404: "No such deployment",
      },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { id, source } = await deployments.get(workspaceId, path.deployment_id);
      if (source !== "internal_docker")
        throw new BadRequest(
          `Push tokens are only available for 'internal_docker' source deployments, and this one is ${source}`,
        );
      const token = registry.tokens.issue({ deploymentId: id, workspaceId, may: "push" });
      const answer = { token, registry_url: registry.addressFor(id), platform: imagePlatform() };
      return json(answer, 200, { "cache-control": "no-store" });
    },
  );

type Received = { bytes: number; sha256: string };

/**
 * Writes a request's body to a file, piece by piece, and tells its size and SHA-256. When it resolves, the archive is
 * kept; when it throws, there is nothing of it.
 * @throws TooLarge | BadRequest | Unavailable
 */
async function receive(
  request: Request,
  archives: ControlRoutesDeps["archives"],
  id: string,
): Promise<Received> {
  const { folder } = archives;
  const mostBytes = UPLOAD_BYTES;
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > mostBytes) throw tooLarge(mostBytes);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = join(folder, `${id}.part`);
  try {
    const file = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    const received = await write(request, file, mostBytes).finally(() => file.close());
    if (received.bytes === 0) throw new BadRequest("The archive is empty");
    if (!Number.isNaN(declared) && received.bytes !== declared) throw cutOff();
    await archives.keep(id);
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
  try {
    yield* bodyPieces(body);
  } catch (error) {
    throw error instanceof BadRequest ? cutOff() : error;
  }
}

const tooLarge = (mostBytes: number) =>
  new TooLarge(`The archive is larger than the limit of ${mostBytes} bytes`);

const cutOff = () => new BadRequest("The archive ended before it was whole: ask for a new upload address");
