import type { Integrations, Revision } from "@berth/store";
import { Fault } from "@berth/store";
import type { Texts } from "../../config.ts";
import type { Resolve } from "../../reach/destination.ts";
import type { Reach } from "../../reach/reach.ts";
import type { Users } from "../run/users.ts";
import { ARCHIVE_LIMITS } from "./archive.ts";
import { BadArchive, EntryNames } from "./entry-names.ts";
import { type GitRemote, gitFault, openRemote } from "./git-remote.ts";
import { type GitUser, gitUser } from "./git-user.ts";
import { BuildFailed, type BuildOrder, PrepareFailed } from "./order.ts";
import { repoRefFault } from "./source-rules.ts";
import type { Workbench } from "./workbench.ts";

/** How long a question to a repository may take. */
export const ASK_LIMIT_SECONDS = 60;
/** How long fetching one state of a repository may take. */
export const CLONE_LIMIT_SECONDS = 300;

export type GitDeps = {
  users: Users;
  integrations: Pick<Integrations, "tokenOf">;
  environment: Texts;
  /** Where repositories may be. */
  sources: Reach;
  resolve?: Resolve | undefined;
};

/** One conversation with a repository. */
type Session = { bench: Workbench; remote: GitRemote; user: GitUser; hasToken: boolean };

const LAST_WORDS = 40;

/** The source of `github`: one state of a git repository, wherever that is. */
export class GitSource {
  constructor(private readonly deps: GitDeps) {}

  /**
   * Finds the commit that the revision's branch or tag names now.
   * @throws PrepareFailed
   */
  async prepare(bench: Workbench): Promise<string> {
    const ref = bench.order.revision.config.repo_ref;
    const fault = ref === null ? undefined : repoRefFault(ref);
    if (fault) throw new PrepareFailed(fault);
    const session = await this.#open(bench);
    const { refs } = await ask(session, wantedRefs(ref));
    return named(refs, ref, session.remote);
  }

  /**
   * Fetches the commit that was found, without its history, into the project's folder.
   * @returns the commit
   * @throws BuildFailed
   */
  async fetch(bench: Workbench): Promise<string> {
    const session = await this.#open(bench).catch((error) => {
      throw error instanceof PrepareFailed ? new BuildFailed(error.message) : error;
    });
    const { config } = bench.order.revision;
    const { user, remote } = session;
    bench.openSource(user.uid);
    user.env.GIT_DIR = bench.folderFor("git", user.uid);
    user.env.GIT_WORK_TREE = bench.source;
    bench.order.say(`Fetching ${config.repo_ref ?? "the default branch"} of ${remote.url}`);
    await git(session, ["init", "--quiet", "--template="]);
    await fetchCommit(session, config);
    const [commit = ""] = await git(session, ["rev-parse", "FETCH_HEAD^{commit}"]);
    await checkTree(session, commit);
    await git(session, ["checkout", "--quiet", "--force", "--detach", commit]);
    bench.order.say(`Checked out ${commit}`);
    return commit;
  }

  async #open(bench: Workbench): Promise<Session> {
    const { users, environment } = this.deps;
    const { PATH } = bench.environment();
    if (Bun.which("git", { PATH }) === null)
      throw new PrepareFailed("git is not installed on this machine: install it, or deploy an archive");
    const remote = await openRemote(bench.order.revision.settings.repo_url, this.deps);
    const token = await this.#token(bench.order);
    const user = gitUser(bench, remote, { token, isolated: users.isolated, environment });
    return { bench, remote, user, hasToken: token !== null };
  }

  async #token({ revision }: BuildOrder): Promise<string | null> {
    const id = revision.settings.integration_id;
    if (id === null) return null;
    return this.deps.integrations.tokenOf(revision.workspace_id, id).catch((error) => {
      throw error instanceof Fault
        ? new PrepareFailed(`The integration ${id} does not exist any more`)
        : error;
    });
  }
}

/** A branch may be meant where a tag is of that name; then the message can say so. */
function wantedRefs(ref: string | null): string[] {
  if (ref === null) return ["HEAD"];
  if (ref.startsWith("refs/tags/")) return [ref, `${ref}^{}`];
  return ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

function named(refs: Map<string, string>, ref: string | null, { url }: GitRemote): string {
  const full = ref === null ? "HEAD" : ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
  // Of a tag with a message, the commit and not the tag itself.
  const commit = refs.get(`${full}^{}`) ?? refs.get(full);
  if (commit !== undefined) return commit;
  if (ref === null) throw new PrepareFailed(`${url} is empty`);
  const hint = refs.has(`refs/tags/${ref}`) ? `: the tag of that name is refs/tags/${ref}` : "";
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch";
  throw new PrepareFailed(`There is no ${kind} ${ref} in ${url}${hint}`);
}

async function ask(session: Session, patterns: string[]): Promise<{ refs: Map<string, string> }> {
  const { bench, remote, user, hasToken } = session;
  const refs = new Map<string, string>();
  const words: string[] = [];
  const { code, outOfTime } = await bench.quietly({
    command: ["git", "ls-remote", "--", remote.url, ...patterns],
    ...{ cwd: "/", uid: user.uid, env: user.env, limitSeconds: ASK_LIMIT_SECONDS },
    onLine: (line, from) => {
      const [, commit, name] = /^([0-9a-f]{40,64})\s+(\S+)$/.exec(line) ?? [];
      if (from === "stdout" && commit && name && refs.size < 100) refs.set(name, commit);
      else if (from === "stderr") keepLast(words, line);
    },
  });
  if (outOfTime) throw new PrepareFailed(`${remote.url} did not answer within ${ASK_LIMIT_SECONDS} seconds`);
  if (code !== 0) throw new PrepareFailed(gitFault(words, remote, hasToken));
  return { refs };
}

/** By its commit, so that what was found is what is built; servers of old git only hand out what a name points to. */
async function fetchCommit(
  session: Session,
  { repo_commit_sha, repo_ref }: Revision["config"],
): Promise<void> {
  const ref = repo_ref === null ? "HEAD" : repo_ref.startsWith("refs/") ? repo_ref : `refs/heads/${repo_ref}`;
  const fetch = (what: string) =>
    git(session, ["fetch", "--quiet", "--depth=1", "--no-tags", "--", session.remote.url, what]);
  if (repo_commit_sha === null) await fetch(ref);
  else
    await fetch(repo_commit_sha).catch(async (error) => {
      if (!(error instanceof BuildFailed) || !/not our ref|unadvertised object/i.test(error.message))
        throw error;
      await fetch(ref);
    });
}

/** Holds a commit against the same limits as an archive, before its files are written. */
async function checkTree(session: Session, commit: string): Promise<void> {
  // Repositories with names that differ in case only are common enough, and git itself writes them.
  const names = new EntryNames(ARCHIVE_LIMITS, (path) => path);
  let bytes = 0;
  const links: string[] = [];
  await git(session, ["ls-tree", "-r", "-l", "--full-tree", commit], (line) => {
    const [, mode, size, path] = /^(\d{6}) \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/.exec(line) ?? [];
    if (mode === undefined || path === undefined) return;
    // Neither is followed: a link becomes a file with its target's name, a submodule an empty folder.
    if ((mode === "120000" || mode === "160000") && links.length < 10) links.push(path);
    names.take(path, mode === "160000");
    bytes += Number(size) || 0;
    if (bytes > ARCHIVE_LIMITS.unpackedBytes)
      throw new BuildFailed(`The repository holds more than ${ARCHIVE_LIMITS.unpackedBytes} bytes of files`);
  }).catch((error) => {
    throw error instanceof BadArchive
      ? new BuildFailed(error.message.replace("The archive is", "The repository is"))
      : error;
  });
  if (links.length > 0)
    session.bench.order.say(`Links and submodules are not followed: ${links.join(", ")}`, "WARNING");
}

/** @throws BuildFailed */
async function git(
  { bench, remote, user, hasToken }: Session,
  args: string[],
  onLine?: (line: string) => void,
): Promise<string[]> {
  const answer: string[] = [];
  const words: string[] = [];
  const { code, outOfTime } = await bench.quietly({
    command: ["git", ...args],
    ...{ cwd: "/", uid: user.uid, env: user.env, limitSeconds: CLONE_LIMIT_SECONDS },
    onLine: (line, from) => {
      if (from === "stderr") keepLast(words, line);
      else if (onLine) onLine(line);
      else keepLast(answer, line);
    },
  });
  if (outOfTime) throw new BuildFailed(`git was ended after ${CLONE_LIMIT_SECONDS} seconds`);
  if (code !== 0) throw new BuildFailed(gitFault(words, remote, hasToken));
  return answer;
}

function keepLast(lines: string[], line: string): void {
  if (line.trim() !== "") lines.push(line);
  if (lines.length > LAST_WORDS) lines.shift();
}
