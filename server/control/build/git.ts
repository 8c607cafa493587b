import type { Integrations, Revision } from "@berth/store";
import { BadRequest, Fault } from "@berth/store";
import type { Users } from "../../machine/index.ts";
import type { Reach, Resolve } from "../../reach/index.ts";
import type { Texts } from "../../settings/index.ts";
import { isCommitId, repoRefFault } from "../../sources/index.ts";
import { type GitRemote, openRemote } from "./git-remote.ts";
import { ask, fetchShallow, type GitSession, git, isNotHandedOut } from "./git-session.ts";
import { refuseLargeFiles, Submodules } from "./git-submodules.ts";
import { TreeLimits } from "./git-tree.ts";
import { gitUser } from "./git-user.ts";
import { BuildFailed, type BuildOrder, PrepareFailed } from "./order.ts";
import type { Workbench } from "./workbench.ts";

type GitDeps = {
  users: Users;
  integrations: Pick<Integrations, "tokenOf">;
  environment: Texts;
  /** Where repositories may be. */
  sources: Reach;
  resolve?: Resolve | undefined;
};

/** The source of `github`: one state of a git repository, wherever that is. */
export class GitSource {
  constructor(private readonly deps: GitDeps) {}

  /**
   * Finds the commit that the revision's branch or tag names now. Whether a commit that is given by its id is there
   * only fetching it tells.
   * @throws PrepareFailed
   */
  async prepare(bench: Workbench): Promise<string> {
    const ref = bench.order.revision.config.repo_ref;
    const fault = ref === null ? undefined : repoRefFault(ref);
    if (fault) throw new PrepareFailed(fault);
    const { session } = await this.#open(bench);
    const isCommit = ref !== null && isCommitId(ref);
    const refs = await ask(session, wantedRefs(isCommit ? null : ref));
    return isCommit ? ref : named(refs, ref, session.remote);
  }

  /**
   * Fetches the commit that was found, without its history and with its submodules, into the project's folder.
   * @returns the commit
   * @throws BuildFailed
   */
  async fetch(bench: Workbench): Promise<string> {
    const { session, token } = await this.#open(bench).catch((error) => {
      throw error instanceof PrepareFailed ? new BuildFailed(error.message) : error;
    });
    const { config } = bench.order.revision;
    const { user, remote } = session;
    await bench.openSource(user.uid);
    user.env.GIT_DIR = await bench.folderFor("git", user.uid);
    user.env.GIT_WORK_TREE = bench.source;
    bench.order.say(`Fetching ${config.repo_ref ?? "the default branch"} of ${remote.url}`);
    await git(session, ["init", "--quiet", "--template="]);
    await fetchCommit(session, config);
    const [commit = ""] = await git(session, ["rev-parse", "FETCH_HEAD^{commit}"]);
    const limits = new TreeLimits();
    const { links, submodules, largeFiles } = await limits.check(session, commit, "");
    refuseLargeFiles(largeFiles);
    if (links.length > 0) bench.order.say(`Links are not followed: ${links.join(", ")}`, "WARNING");
    await git(session, ["checkout", "--quiet", "--force", "--detach", commit]);
    bench.order.say(`Checked out ${commit}`);
    const { isolated } = this.deps.users;
    const others = new Submodules({ ...this.deps, token, isolated }, limits);
    await others.fetch({ session, commit, folder: "", depth: 0 }, submodules);
    return commit;
  }

  async #open(bench: Workbench): Promise<{ session: GitSession; token: string | null }> {
    const { users, environment } = this.deps;
    const { PATH } = bench.environment();
    if (Bun.which("git", { PATH }) === null)
      throw new PrepareFailed("git is not installed on this machine: install it, or deploy an archive");
    const remote = await openRemote(bench.order.revision.settings.repo_url, this.deps);
    const token = await this.#token(bench.order);
    const user = await gitUser(bench, remote, { token, isolated: users.isolated, environment });
    return { session: { bench, remote, user, hasToken: token !== null }, token };
  }

  async #token({ revision }: BuildOrder): Promise<string | null> {
    const id = revision.settings.integration_id;
    if (id === null) return null;
    return this.deps.integrations.tokenOf(revision.workspace_id, id).catch((error) => {
      if (error instanceof BadRequest) throw new PrepareFailed(error.message);
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
  const full = nameOf(ref);
  // Of a tag with a message, the commit and not the tag itself.
  const commit = refs.get(`${full}^{}`) ?? refs.get(full);
  if (commit !== undefined) return commit;
  if (ref === null) throw new PrepareFailed(`${url} is empty`);
  const isShort = /^[0-9a-f]{7,63}$/.test(ref);
  const hint = refs.has(`refs/tags/${ref}`)
    ? `: the tag of that name is refs/tags/${ref}`
    : isShort
      ? ": a commit is named by its whole id"
      : "";
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch";
  throw new PrepareFailed(`There is no ${kind} ${ref} in ${url}${hint}`);
}

/** By its commit, so that what was found is what is built; servers of old git only hand out what a name points to. */
async function fetchCommit(
  session: GitSession,
  { repo_commit_sha, repo_ref }: Revision["config"],
): Promise<void> {
  if (repo_commit_sha === null) await fetchShallow(session, nameOf(repo_ref));
  else
    await fetchShallow(session, repo_commit_sha).catch(async (error) => {
      if (!isNotHandedOut(error)) throw error;
      if (repo_ref !== null && isCommitId(repo_ref))
        throw new BuildFailed(`There is no commit ${repo_ref} in ${session.remote.url}`);
      await fetchShallow(session, nameOf(repo_ref));
    });
}

/** What a ref of a revision is called in full. */
const nameOf = (ref: string | null): string =>
  ref === null ? "HEAD" : ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
