/** An image by name: `registry.example:5000/team/agent:1.2`, `agent@sha256:…`. */
export type Reference = { text: string; registry: string | null; tag: string | null };

const HOST = /^(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+|[a-z\d.-]+(?=:))(?::\d{1,5})?$/i;
const COMPONENT = "[a-z\\d]+(?:(?:[._]|__|-+)[a-z\\d]+)*";
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[a-f\d]{64}$/;

/** What Podman reads as the beginning of another place to look at: its own storage, a folder, a file. */
const TRANSPORTS = new Set([
  ...["containers-storage", "dir", "docker", "docker-archive", "docker-daemon", "docker-tar", "atomic"],
  ...["oci", "oci-archive", "oci-layout", "ostree", "sif", "tarball", "registry"],
]);

/** Where the images of uploaded archives are kept: each deployment's own, by revision. */
const KEPT = "localhost/berth";

/** What the image of an uploaded archive is called. */
export const keptName = (deploymentId: string, revisionId: string): string =>
  `${KEPT}/${deploymentId}:${revisionId}`;
/** All of a deployment's. */
export const keptNames = (deploymentId: string): string => `${KEPT}/${deploymentId}`;

/**
 * Reads the name of an image, with a tag in any case. Undefined for what is none: an option, an image's id (engines
 * take the beginning of one for a name), a transport (`dir:…`), and another deployment's image.
 */
export function readReference(text: string): Reference | undefined {
  const [name = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const { path, tag } = splitTag(name);
  // Also in front of a port: `dir:5000/x` is a folder.
  if (TRANSPORTS.has(path.split(":", 1)[0]?.toLowerCase() ?? "")) return undefined;
  if (tag !== null && !TAG.test(tag)) return undefined;
  const slash = path.indexOf("/");
  const first = path.slice(0, Math.max(slash, 0));
  const registry = HOST.test(first) ? first : null;
  if (!PATH.test(registry === null ? path : path.slice(slash + 1))) return undefined;
  if (path === "sha256" || `${path}/`.startsWith(`${KEPT}/`)) return undefined;
  if (digest !== undefined) return { text: `${path}@${digest}`, registry, tag: null };
  return { text: `${path}:${tag ?? "latest"}`, registry, tag: tag ?? "latest" };
}

/** An image as an engine knows it: its id, every name that it has there, and the digest that it has by itself. */
export type KnownImage = { id: string; names: readonly string[]; digest: string | null };

/**
 * Whether an image is what a name stands for. Engines find images by less than their names, so that the end of a
 * deployment's own one would do: an image that has such a name needs the one that was asked for as well.
 */
export function isNamed({ names }: Pick<KnownImage, "names">, { text, registry }: Reference): boolean {
  const others = names.filter((name) => !name.startsWith(`${KEPT}/`));
  if (others.length === names.length) return true;
  const wanted = withoutDefault(text);
  return others.some(
    (name) => withoutDefault(name) === wanted || (registry === null && name.endsWith(`/${wanted}`)),
  );
}

/** Docker leaves out what it takes for granted; Podman writes it down. */
const withoutDefault = (name: string) => name.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, "");

/**
 * Whether a registry may have another image by this name than the engine got from it once: a tag moves, a digest does
 * not. A name without a registry may be one that was built here, as Podman's `localhost/…` is: those are nobody's to
 * ask for.
 */
export const mayHaveMoved = ({ registry, tag }: Reference): boolean =>
  tag !== null && registry !== null && registry !== "localhost";

/**
 * The digest by which a registry knows an image, under the name that was asked for; null where none is known. An image
 * that was built where it is run, or is one of several for different machines, has one more of its own.
 */
export function digestOf({ names, digest: own }: KnownImage, { text }: Reference): string | null {
  const path = withoutDefault(text.split("@")[0]?.replace(/:[^/:]*$/, "") ?? "");
  const digests = names.flatMap((name) => {
    const [known = "", digest] = withoutDefault(name).split("@");
    return digest !== undefined && (known === path || known.endsWith(`/${path}`)) ? [digest] : [];
  });
  return digests.find((digest) => digest !== own) ?? digests[0] ?? null;
}

/** The colon of a registry's port is in front of a slash. */
function splitTag(name: string): { path: string; tag: string | null } {
  const colon = name.lastIndexOf(":");
  if (colon === -1 || name.includes("/", colon)) return { path: name, tag: null };
  return { path: name.slice(0, colon), tag: name.slice(colon + 1) };
}
