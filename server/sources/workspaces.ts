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

/** Maximum number of members, and of patterns, of a workspace. */
export const MAX_MEMBERS = 1_000;
export const MAX_MEMBER_GLOBS = 200;
const MAX_GLOB_CHARS = 500;

/**
 * Returns why a pattern of members is refused, in one line, or undefined. Package managers follow `..` and absolute
 * paths out of the source, where another deployment's files may be.
 */
export function memberGlobFault(glob: string): string | undefined {
  const pattern = glob.replace(/^!+/, "");
  const reason =
    pattern.length > MAX_GLOB_CHARS
      ? `has more than ${MAX_GLOB_CHARS} characters`
      : /^(?:\/|[a-z]:)/i.test(pattern)
        ? "is an absolute path"
        : /(?:^|[^\w.-])\.\.(?:$|[^\w.-])/.test(pattern)
          ? "has a path with .."
          : HIDDEN_DOTS.test(pattern)
            ? "may expand to a path with .., because of a dot in or next to its braces or brackets"
            : HIDDEN_ROOT.test(pattern)
              ? "may expand to an absolute path"
              : /\\|\p{Cc}/u.test(pattern)
                ? "has characters that no path of a folder has"
                : undefined;
  if (reason === undefined) return undefined;
  const name = pattern.length > MAX_SHOWN_CHARS ? `${pattern.slice(0, MAX_SHOWN_CHARS)}…` : pattern;
  return `the workspace pattern ${JSON.stringify(name)} ${reason}: members must be in folders below the workspace`;
}

/**
 * A dot in a character class, or a dot next to a brace, a parenthesis or a comma and next to no letter, digit, `-` or
 * `_`. Package managers expand `{.,}./x` and `.[.]/x` to `../x`. `{lodash.merge,b.}` cannot become `..`.
 */
const HIDDEN_DOTS =
  /\[[!^]?\]?[^\]]*\.|(?<=[{}(),|\]])\.(?![\p{L}\p{N}_-])|(?<![\p{L}\p{N}_-])\.(?=[{}(),|[]|[?*+@!]\()/u;
/** A pattern that begins with braces, and has an empty alternative or one that begins with `/`: `{,a}/srv`. */
const HIDDEN_ROOT = /^\{(?:.*,)?[/,}]/s;

const MAX_SHOWN_CHARS = 200;

/** The pattern of a file in the folders that a glob of members finds. */
export const memberFileGlob = (glob: string, file: string): string =>
  `${glob.replace(/^(?:\.?\/)+|\/+$/g, "")}/${file}`;

/**
 * Returns a function that decides whether a folder is a member. Each glob is compiled once.
 * The folder is relative to the workspace's, without a slash at either end.
 */
export function memberMatcher(globs: readonly string[]): (folder: string) => boolean {
  // As package managers do: a glob means the package.json files below it, so that `**/x/**` is also `x` itself.
  const compiled = (glob: string) => new Bun.Glob(memberFileGlob(glob, MANIFEST));
  const excluded = globs.filter((glob) => glob.startsWith("!")).map((glob) => compiled(glob.slice(1)));
  const included = globs.filter((glob) => !glob.startsWith("!")).map(compiled);
  return (folder) => {
    const path = `${folder}/${MANIFEST}`;
    return !excluded.some((glob) => glob.match(path)) && included.some((glob) => glob.match(path));
  };
}

/** @param folder below the workspace's, without a slash at either end */
export const isMember = (globs: readonly string[], folder: string): boolean => memberMatcher(globs)(folder);

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
