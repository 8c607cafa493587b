export const MANIFEST = "package.json";
/** Where pnpm lists the members of a workspace; the other package managers do so in `package.json`. */
export const PNPM_WORKSPACE = "pnpm-workspace.yaml";

/**
 * The members of a workspace, as globs below its folder; those that are left out begin with `!`. None: it is no
 * workspace.
 * @param manifest its `package.json`, where there is one
 * @param pnpmText its `pnpm-workspace.yaml`, where there is one; a broken one lists nobody
 */
export function memberGlobs(manifest: object | undefined, pnpmText: string | undefined): string[] {
  const listed = manifest && "workspaces" in manifest ? manifest.workspaces : undefined;
  // Yarn and Bun also take an object, beside other settings.
  return [...textsOf(listed), ...textsOf(packagesOf(listed)), ...textsOf(packagesOf(parsed(pnpmText)))];
}

/**
 * Returns why a pattern of members is refused, in one line, or undefined. Package managers follow `..` and absolute
 * paths out of the source, where another deployment's files may be.
 */
export function memberGlobFault(glob: string): string | undefined {
  const pattern = glob.replace(/^!+/, "");
  const reason = /^(?:\/|[a-z]:)/i.test(pattern)
    ? "is an absolute path"
    : /(?:^|[^\w.-])\.\.(?:$|[^\w.-])/.test(pattern)
      ? "has a path with .."
      : /\\|\p{Cc}/u.test(pattern)
        ? "has characters that no path of a folder has"
        : undefined;
  if (reason === undefined) return undefined;
  const name = pattern.length > MAX_SHOWN_CHARS ? `${pattern.slice(0, MAX_SHOWN_CHARS)}…` : pattern;
  return `the workspace pattern ${JSON.stringify(name)} ${reason}: members must be in folders below the workspace`;
}

const MAX_SHOWN_CHARS = 200;

/** @param folder below the workspace's, without a slash at either end */
export function isMember(globs: readonly string[], folder: string): boolean {
  // As package managers do: a glob means the package.json files below it, so that `**/x/**` is also `x` itself.
  const matches = (glob: string) =>
    new Bun.Glob(`${glob.replace(/^(?:\.?\/)+|\/+$/g, "")}/package.json`).match(`${folder}/package.json`);
  const isLeftOut = globs.some((glob) => glob.startsWith("!") && matches(glob.slice(1)));
  return !isLeftOut && globs.some((glob) => !glob.startsWith("!") && matches(glob));
}

function packagesOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "packages" in value ? value.packages : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function parsed(yaml: string | undefined): unknown {
  try {
    return yaml === undefined ? undefined : Bun.YAML.parse(yaml);
  } catch {
    return undefined;
  }
}
