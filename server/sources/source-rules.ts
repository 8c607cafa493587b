/**
 * What the texts of a revision's source may be. Each rule answers with one line that says why not, or with
 * nothing. The API asks them before a revision is made, the builders before they use one.
 */

const LONGEST_ADDRESS = 2_048;
const LONGEST_REF = 255;
const LONGEST_COMMAND = 4_096;
/** `user@host:path`, the path from the user's home or from the root; a colon later than a slash would be a local path. */
const SCP_FORM = /^[\w][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)[^:]+$/;

/** Only what reaches a server: git would also read local folders and start programs named in an address. */
export function repoUrlFault(url: string): string | undefined {
  if (url.length > LONGEST_ADDRESS) return "repo_url is too long";
  if (isOddAddress(url)) return "repo_url holds characters that no address has";
  if (url.startsWith("-")) return "repo_url must not begin with -";
  if (SCP_FORM.test(url)) return undefined;
  if (!/^(?:https?|ssh):\/\//i.test(url) || !URL.canParse(url))
    return "repo_url must be an http, https or ssh address, or user@host:path";
  const { hostname, username, password, protocol } = new URL(url);
  if (hostname === "" || hostname.startsWith("-") || username.startsWith("-"))
    return "repo_url names no host";
  if (password !== "" || (username !== "" && protocol !== "ssh:"))
    return "repo_url must not hold credentials: store a token as an integration and name it in integration_id";
  return undefined;
}

/** Where a deployment answers that somebody else runs: clients are sent there. */
export function customUrlFault(url: string): string | undefined {
  if (url.length > LONGEST_ADDRESS) return "'source_config.custom_url' is too long";
  if (isOddAddress(url)) return "'source_config.custom_url' holds characters that no address has";
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    return "'source_config.custom_url' must be an http or https address";
  const { username, password } = new URL(url);
  return username === "" && password === ""
    ? undefined
    : "'source_config.custom_url' must not hold credentials";
}

/** A commit by its whole id. Git itself has no branch of such a name. */
export const isCommitId = (ref: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);

/**
 * A branch by its bare name, a tag by its full name, or a commit by its id; the characters are those that git itself
 * allows.
 */
export function repoRefFault(ref: string): string | undefined {
  if (ref === "" || ref.length > LONGEST_REF)
    return "repo_ref must be a branch, refs/tags/<tag> or the id of a commit";
  if (ref.startsWith("-")) return "repo_ref must not begin with -";
  if ((ref.startsWith("refs/") && !/^refs\/tags\/./.test(ref)) || ref === "HEAD")
    return "repo_ref must be a branch by its bare name, refs/tags/<tag> or the whole id of a commit";
  const isNamed =
    !hasControls(ref) &&
    !/[\s~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|(?:^|\/)\.|[./]$|^\//.test(ref) &&
    ref !== "@";
  return isNamed ? undefined : "repo_ref is not a name that git allows";
}

/** Below the root of the source, by an ordinary relative path. */
export function configPathFault(path: string): string | undefined {
  const segments = path.replace(/^(?:\.\/)+/, "").split("/");
  const isPlain =
    path.length <= 1_024 &&
    !hasControls(path) &&
    !path.includes("\\") &&
    segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  if (!isPlain) return "langgraph_config_path must be a path inside the source, such as graph.json";
  return path.endsWith(".json") ? undefined : "langgraph_config_path must name a .json file";
}

/** What released tools refuse as well: one command with its arguments, no second one behind it. */
export function commandFault(command: string): string | undefined {
  if (command.length > LONGEST_COMMAND) return `a command is at most ${LONGEST_COMMAND} characters long`;
  const found =
    /["`\\|;$><]|\p{Cc}/u.exec(command)?.[0] ??
    (command.replaceAll("&&", "").includes("&") ? "&" : undefined);
  if (found === undefined) return undefined;
  return `a command must not hold ${JSON.stringify(found)}: put a script into the project and call that`;
}

const isOddAddress = (url: string) => hasControls(url) || /[\s"'`\\<>|]/.test(url);
const hasControls = (text: string) => /\p{Cc}/u.test(text);
