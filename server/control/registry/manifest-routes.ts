import { BadRequest, isDigest, isTag, type Repository } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { registry } from "../../access/index.ts";
import { json, type Operation, operation, readBytes } from "../../http/index.ts";
import {
  BASE,
  callerOf,
  digestIn,
  imageParams,
  pathOf,
  type RegistryRoutesDeps,
  repositoryOf,
  tag,
  usualAnswers,
} from "./deps.ts";
import { MANIFEST_BYTES, readManifest } from "./manifest-text.ts";

const PATH = `${BASE}/manifests/:reference`;
const params = Type.Object({ ...imageParams, reference: Type.String() });
const INDEX = "application/vnd.oci.image.index.v1+json";
const MOST_TAGS = 10_000;

/** Manifests, tags, and what is about a manifest. */
export const manifestRoutes = (deps: RegistryRoutesDeps): Operation[] => [
  version(deps),
  read(deps),
  put(deps),
  remove(deps),
  tags(deps),
  referrers(deps),
];

const version = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/v2",
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "Check a token",
      answers: { 200: { description: "It is", schema: Type.Object({}) }, 401: usualAnswers[401] },
    },
    async ({ request }) => {
      await callerOf(deps, request);
      return json({}, 200, { "docker-distribution-api-version": "registry/2.0" });
    },
  );

const read = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: PATH,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "Pull a manifest",
      params,
      answers: {
        200: { description: "The manifest, as it was pushed", mediaType: INDEX },
        404: "The image has no such tag or digest",
        ...usualAnswers,
      },
    },
    async (input) => {
      const { request, path } = input;
      const repository = await repositoryOf(deps, input, "pull");
      const { body, digest, mediaType } = await deps.images.get(repository, path.reference);
      const headers = {
        "content-type": mediaType,
        "content-length": String(body.byteLength),
        "docker-content-digest": digest,
        etag: `"${digest}"`,
      };
      return new Response(request.method === "HEAD" ? null : new Uint8Array(body), { headers });
    },
  );

const put = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "PUT",
      path: PATH,
      access: registry,
      bodyLimit: MANIFEST_BYTES,
      tag,
      summary: "Push a manifest",
      description: "Everything that it names has to be in the registry, except for its `subject`.",
      params,
      verify: async (input) => ({
        repository: await repositoryOf(deps, input, "push"),
        tagged: tagIn(input.path.reference),
      }),
      rawBody: { mediaType: INDEX, description: "The manifest, byte for byte as it is pulled later." },
      answers: {
        201: "Berth has stored it: `Location` has its address",
        400: "The body is no manifest, names something that is not in the registry, or has another digest",
        413: "The manifest is larger than 4194304 bytes, or there is no room for it",
        ...usualAnswers,
      },
    },
    async ({ request, path, verified: { repository, tagged } }) => {
      const body = await readBytes(request, MANIFEST_BYTES);
      const manifest = readManifest(body, request.headers.get("content-type") ?? "");
      if (tagged === null && manifest.digest !== path.reference)
        throw new BadRequest(`What arrived is ${manifest.digest}`, { code: "DIGEST_INVALID" });
      await deps.images.put(repository, manifest, tagged);
      const headers = {
        location: `${pathOf(repository)}/manifests/${manifest.digest}`,
        "docker-content-digest": manifest.digest,
        "content-length": "0",
        ...(manifest.subject !== null && { "oci-subject": manifest.subject }),
      };
      return new Response(null, { status: 201, headers });
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
      summary: "Delete a tag, or a manifest with its tags",
      params,
      answers: {
        202: "It is gone",
        404: "The image has no such tag or digest",
        ...usualAnswers,
        403: "A revision needs it, or the token does not allow this",
      },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "push");
      await deps.images.delete(repository, input.path.reference);
      return new Response(null, { status: 202 });
    },
  );

const tags = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: `${BASE}/tags/list`,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "List the tags of an image",
      params: Type.Object(imageParams),
      query: Type.Object({
        n: Type.Optional(
          Type.Integer({ minimum: 0, description: "The most tags to return; 10000 by default." }),
        ),
        last: Type.Optional(Type.String({ description: "Only tags after this one." })),
      }),
      answers: {
        200: {
          description: "The tags in order; `Link` leads to the next page",
          schema: Type.Object({ name: Type.String(), tags: Type.Array(Type.String()) }),
        },
        404: "Nobody has pushed to this image",
        ...usualAnswers,
      },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "pull");
      const { n = MOST_TAGS, last } = input.query;
      const limit = Math.min(n, MOST_TAGS);
      const found = await deps.images.tags(repository, {
        ...(last !== undefined && { last }),
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const next = found.length > limit && shown.length > 0 ? shown.at(-1) : undefined;
      return json({ name: nameOf(repository), tags: shown }, 200, {
        ...(next !== undefined && {
          link: `<${pathOf(repository)}/tags/list?n=${limit}&last=${next}>; rel="next"`,
        }),
      });
    },
  );

const referrers = (deps: RegistryRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: `${BASE}/referrers/:digest`,
      access: registry,
      bodyLimit: "none",
      tag,
      summary: "List the referrers of a manifest",
      params: Type.Object({ ...imageParams, digest: Type.String() }),
      query: Type.Object({
        artifactType: Type.Optional(Type.String({ description: "Only referrers of this type." })),
      }),
      answers: {
        200: { description: "An index; empty if there are none", mediaType: INDEX },
        400: "The digest is not valid",
        ...usualAnswers,
      },
    },
    async (input) => {
      const repository = await repositoryOf(deps, input, "pull");
      const { artifactType } = input.query;
      const manifests = await deps.images.referrers(repository, digestIn(input.path.digest), artifactType);
      return json({ schemaVersion: 2, mediaType: INDEX, manifests }, 200, {
        "content-type": INDEX,
        ...(artifactType !== undefined && { "oci-filters-applied": "artifactType" }),
      });
    },
  );

/** Null for a digest. @throws BadRequest */
function tagIn(reference: string): string | null {
  if (reference.includes(":")) {
    if (!isDigest(reference)) digestIn(reference);
    return null;
  }
  if (isTag(reference)) return reference;
  throw new BadRequest("A tag may have letters, digits, . _ and -: at most 128 characters", {
    code: "TAG_INVALID",
  });
}

const nameOf = (repository: Repository): string => pathOf(repository).slice("/v2/".length);
