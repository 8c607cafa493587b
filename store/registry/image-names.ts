/** An image of a deployment in the registry: `berth/DEPLOYMENT/IMAGE`. */
export type Repository = { workspaceId: string; deploymentId: string; image: string };

/** An image of the registry, as a name says it; the registry in front is whatever address Berth has. */
export type PushedImage = { deploymentId: string; image: string; reference: string };

/** What the name of every image begins with: nothing of the control plane's API is called so. */
export const IMAGE_ROOT = "berth";

const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const DIGEST_TEXT = "sha256:[a-f0-9]{64}";
const TAG_TEXT = "[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}";

const IMAGE = new RegExp(`^${COMPONENT}$`);
const DIGEST = new RegExp(`^${DIGEST_TEXT}$`);
const TAG = new RegExp(`^${TAG_TEXT}$`);
const PUSHED = new RegExp(
  `^(?:[^/]+/)?${IMAGE_ROOT}/(${UUID})/(${COMPONENT})(?::(${TAG_TEXT}))?(?:@(${DIGEST_TEXT}))?$`,
);
const OF_DEPLOYMENT = new RegExp(`^(?:[^/]+/)*${IMAGE_ROOT}/${UUID}(?:[/:@]|$)`);
const LONGEST_IMAGE = 128;

/** Whether a text can be the last part of an image's name. */
export const isImageName = (text: string): boolean => text.length <= LONGEST_IMAGE && IMAGE.test(text);
export const isDigest = (text: string): boolean => DIGEST.test(text);
export const isTag = (text: string): boolean => TAG.test(text);

/** Reads an `image_uri` that names an image of the registry; undefined for any other. */
export function readPushedImage(text: string): PushedImage | undefined {
  const [, deploymentId, image, tag, digest] = PUSHED.exec(text) ?? [];
  if (deploymentId === undefined || image === undefined) return undefined;
  return { deploymentId, image, reference: digest ?? tag ?? "latest" };
}

/** Whether a name is one that only the registry gives, well-formed or not: nobody else's may be called so. */
export const isOfRegistry = (text: string): boolean => OF_DEPLOYMENT.test(text);
