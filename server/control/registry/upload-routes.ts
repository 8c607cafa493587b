import { type ArrivingBlob, BadRequest, IMAGE_ROOT, type Repository } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { registry } from "../../access/index.ts";
import { BLOB_BYTES, empty, json, type Operation, operation } from "../../http/index.ts";
import {
  BASE,
  digestIn,
  imageParams,
  pathOf,
  type RegistryRoutesDeps,
  repositoryOf,
  tag,
  usualAnswers,
} from "./deps.ts";

const PATH = `${BASE}/blobs/uploads`;
const params = Type.Object({ ...imageParams, upload_id: Type.String() });
const rawBody = { mediaType: "application/octet-stream", description: "Bytes of the blob." };
const tooMuch = "There is no room for it (setting `REGISTRY_LIMIT`)";

/** How blobs get here, in one piece or in several. */
export const blobUploadRoutes = (deps: RegistryRoutesDeps): Operation[] => [
  begin(deps),
  status(deps),
  piece(deps),
  finish(deps),
  cancel(deps),
];

const begin = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: PATH,
      access: registry,
      bodyLimit: BLOB_BYTES,
      tag,
      summary: "Begin to push a blob",
      description:
        "With `digest`, the body is the whole blob. With `mount` and `from`, the image gets a blob from another image of the same deployment.",
      params: Type.Object(imageParams),
      query: Type.Object({
        digest: Type.Optional(
          Type.String({ description: "The digest of the whole blob, if the body is the blob." }),
        ),
        mount: Type.Optional(Type.String({ description: "The digest of a blob of another image." })),
        from: Type.Optional(Type.String({ description: "The name of that other image." })),
      }),
      verify: (input) => repositoryOf(deps, input, "push"),
      rawBody,
      answers: {
        201: "Berth has stored it: `Location` has its address",
        202: "Send the blob to `Location`",
        400: "The digest is not that of the body",
        413: tooMuch,
        ...usualAnswers,
      },
    },
    async ({ request, query, verified: repository }) => {
      const { arriving } = deps;
      const { mount, from, digest } = query;
      const wanted = digest === undefined ? undefined : digestIn(digest);
      if (mount !== undefined && (await mounted(deps, repository, { mount: digestIn(mount), from })))
        return created(repository, mount);
      const upload = await arriving.begin(repository);
      if (wanted === undefined) return accepted(repository, upload);
      return finished(deps, repository, { upload, request, digest: wanted });
    },
  );

async function mounted(
  { arriving }: RegistryRoutesDeps,
  repository: Repository,
  { mount, from }: { mount: string; from: string | undefined },
): Promise<boolean> {
  const [root, deploymentId, image, ...more] = (from ?? "").split("/");
  // Of another deployment it is as if it were not there: the blob is sent.
  if (root !== IMAGE_ROOT || deploymentId !== repository.deploymentId || !image || more.length > 0)
    return false;
  return arriving.mount(repository, image, mount);
}

const status = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: `${PATH}/:upload_id`,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "See how much of a blob has arrived",
      params,
      answers: { 204: "`Range` says how much", 404: "No such upload", ...usualAnswers },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "push");
      const upload = await deps.arriving.get(repository, input.path.upload_id);
      return empty(headersOf(repository, upload));
    },
  );

/** The upload that a request is for, with its repository. @throws NotFound */
async function arrivingUpload({ arriving }: RegistryRoutesDeps, repository: Repository, id: string) {
  return { repository, upload: await arriving.get(repository, id) };
}

const piece = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "PATCH",
      path: `${PATH}/:upload_id`,
      access: registry,
      bodyLimit: BLOB_BYTES,
      tag,
      summary: "Push a piece of a blob",
      params,
      headers: {
        "Content-Range":
          "`FIRST-LAST`, the first and the last byte of the piece; it begins where the one before it ended.",
      },
      verify: async (input) =>
        arrivingUpload(deps, await repositoryOf(deps, input, "push"), input.path.upload_id),
      rawBody,
      answers: {
        202: "Berth has stored the piece: send the next one to `Location`",
        400: "The piece was cut off, or is not as long as it says. Berth ignores all of it",
        404: "No such upload",
        409: "Another piece of the blob came at the same time",
        413: tooMuch,
        416: "The piece does not begin where the one before it ended: `Range` says where that is",
        ...usualAnswers,
      },
    },
    async ({ request, verified: { repository, upload } }) => {
      const refused = outOfOrder(repository, upload, request);
      if (refused) return refused;
      return accepted(repository, await deps.receiving.take(repository, upload, request));
    },
  );

const finish = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "PUT",
      path: `${PATH}/:upload_id`,
      access: registry,
      bodyLimit: BLOB_BYTES,
      tag,
      summary: "End the push of a blob",
      description:
        "The body, if there is one, is the last piece. If the digest is wrong, Berth deletes what has arrived.",
      params,
      query: Type.Object({
        digest: Type.Optional(Type.String({ description: "The digest of the whole blob." })),
      }),
      verify: async (input) => {
        const repository = await repositoryOf(deps, input, "push");
        const digest = digestIn(input.query.digest);
        return { digest, ...(await arrivingUpload(deps, repository, input.path.upload_id)) };
      },
      rawBody,
      answers: {
        201: "Berth has stored it: `Location` has its address",
        400: "The digest is not that of the blob that has arrived",
        404: "No such upload",
        409: "Another piece of the blob came at the same time",
        413: tooMuch,
        416: "The last piece does not begin where the one before it ended",
        ...usualAnswers,
      },
    },
    async ({ request, server, verified: { repository, upload, digest } }) => {
      const refused = outOfOrder(repository, upload, request);
      if (refused) return refused;
      // An upload of many pieces may have to be read again.
      server?.timeout(request, 0);
      return finished(deps, repository, { upload, request, digest });
    },
  );

const cancel = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: `${PATH}/:upload_id`,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "Cancel the push of a blob",
      params,
      answers: { 204: "Berth has deleted what had arrived", 404: "No such upload", ...usualAnswers },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "push");
      const spare = await deps.arriving.cancel(repository, input.path.upload_id);
      await deps.receiving.over(input.path.upload_id, spare);
      return empty();
    },
  );

type Finishing = { upload: ArrivingBlob; request: Request; digest: string };

async function finished(
  { arriving, receiving }: RegistryRoutesDeps,
  repository: Repository,
  { upload, request, digest }: Finishing,
): Promise<Response> {
  const whole = await receiving.take(repository, upload, request);
  const found = await receiving.digestOf(whole);
  if (found !== digest) {
    await receiving.over(upload.id, await arriving.cancel(repository, upload.id));
    throw new BadRequest(`What arrived is ${found}`, { code: "DIGEST_INVALID" });
  }
  await receiving.over(upload.id, await arriving.finish(repository, whole, digest));
  return created(repository, digest);
}

const RANGE = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/.*)?$/;

/** Answers a piece that begins elsewhere than the one before it ended. @throws BadRequest */
function outOfOrder(repository: Repository, upload: ArrivingBlob, request: Request): Response | undefined {
  const text = request.headers.get("content-range");
  if (text === null) return undefined;
  const [, first, last] = RANGE.exec(text) ?? [];
  const length = request.headers.get("content-length");
  if (first === undefined || Number(last) < Number(first)) throw unfit(`${text} is no Content-Range`);
  if (length !== null && Number(length) !== Number(last) - Number(first) + 1)
    throw unfit("Content-Range and Content-Length do not agree");
  if (Number(first) === upload.bytes) return undefined;
  void request.body?.cancel().catch(() => undefined);
  const message = `The next piece begins at ${upload.bytes}`;
  const errors = [{ code: "BLOB_UPLOAD_INVALID", message }];
  return json({ detail: message, errors }, 416, headersOf(repository, upload));
}

const unfit = (reason: string) => new BadRequest(reason, { code: "SIZE_INVALID" });

const accepted = (repository: Repository, upload: ArrivingBlob) =>
  new Response(null, { status: 202, headers: { ...headersOf(repository, upload), "content-length": "0" } });

const created = (repository: Repository, digest: string) =>
  new Response(null, {
    status: 201,
    headers: {
      location: `${pathOf(repository)}/blobs/${digest}`,
      "docker-content-digest": digest,
      "content-length": "0",
    },
  });

const headersOf = (repository: Repository, { id, bytes }: ArrivingBlob) => ({
  location: `${pathOf(repository)}/blobs/uploads/${id}`,
  "docker-upload-uuid": id,
  range: `0-${Math.max(0, bytes - 1)}`,
});
