import type { ArrivingBlobs, Deployments, PushedImages, Repository } from "@berth/store";
import { BadRequest, Denied, IMAGE_ROOT, isDigest, isImageName, Unauthenticated } from "@berth/store";
import { Type } from "@sinclair/typebox";
import type { BlobFiles } from "./blob-files.ts";
import type { Receiving } from "./receiving.ts";
import { type ImageRight, type RegistryTokens, tokenIn } from "./tokens.ts";

/** What the routes of the registry work with. */
export type RegistryRoutesDeps = {
  tokens: RegistryTokens;
  deployments: Pick<Deployments, "find">;
  arriving: ArrivingBlobs;
  images: PushedImages;
  files: BlobFiles;
  receiving: Receiving;
};

export const tag = "Registry";
/** Where the images of a deployment are. */
export const BASE = `/v2/${IMAGE_ROOT}/:deployment_id/:image`;
export const imageParams = { deployment_id: Type.String(), image: Type.String() };

/** The answers that every operation of an image has. */
export const usualAnswers = {
  401: "No token, or the token has expired",
  403: "The token is for another deployment, or for pulling only",
} as const;

/** Who calls. @throws Unauthenticated */
export async function callerOf(
  { tokens, deployments }: Pick<RegistryRoutesDeps, "tokens" | "deployments">,
  request: Request,
): Promise<ImageRight> {
  const token = tokenIn(request);
  const right = token === undefined ? undefined : tokens.read(token);
  const deployment = right && (await deployments.find(right.deploymentId));
  if (right && deployment?.deleted_at === null && deployment.workspace_id === right.workspaceId) return right;
  throw new Unauthenticated(
    token === undefined
      ? "Send a token of the deployment's push-token operation, as a password or as Bearer"
      : "This token has expired, or is not valid",
    { code: "UNAUTHORIZED" },
  );
}

/**
 * The image that a request is about.
 * @throws Unauthenticated | Denied | BadRequest
 */
export async function repositoryOf(
  deps: Pick<RegistryRoutesDeps, "tokens" | "deployments">,
  { request, path }: { request: Request; path: { deployment_id: string; image: string } },
  wants: ImageRight["may"],
): Promise<Repository> {
  const { deploymentId, workspaceId, may } = await callerOf(deps, request);
  if (path.deployment_id !== deploymentId)
    throw new Denied("This token is for the images of another deployment", { code: "DENIED" });
  if (wants === "push" && may !== "push")
    throw new Denied("This token may only pull: get one from the deployment's push-token operation", {
      code: "DENIED",
    });
  if (!isImageName(path.image))
    throw new BadRequest(
      "The last part of an image's name may have lower-case letters and digits, with . _ or - between them: at most 128 characters",
      { code: "NAME_INVALID" },
    );
  return { workspaceId, deploymentId, image: path.image };
}

/** @throws BadRequest */
export function digestIn(text: string | undefined): string {
  if (text !== undefined && isDigest(text)) return text;
  throw new BadRequest("A digest is sha256: and 64 hexadecimal digits in lower case", {
    code: "DIGEST_INVALID",
  });
}

/** The path of an image's API. */
export const pathOf = ({ deploymentId, image }: Repository): string =>
  `/v2/${IMAGE_ROOT}/${deploymentId}/${image}`;
