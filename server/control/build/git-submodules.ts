import { rename } from "node:fs/promises";
import { join } from "node:path";
import { openRemote, type RemoteCheck } from "./git-remote.ts";
import { fetchShallow, type GitSession, git, isNotHandedOut } from "./git-session.ts";
import type { Submodule, TreeLimits } from "./git-tree.ts";
import { gitUser } from "./git-user.ts";
import { BuildFailed, PrepareFailed } from "./order.ts";

/** How submodules are got at: by the rules of the repository that names them, with its token at its own host. */
type SubmoduleDeps = RemoteCheck & { token: string | null; isolated: boolean };

/** A commit whose files are in the source, at this folder below its root. */
type Checkout = { session: GitSession; commit: string; folder: string; depth: number };

const MOST_SUBMODULES = 100;
const MOST_DEPTH = 5;

/** Fetches the submodules of a commit, and theirs, each at the commit that is named, to where they belong. */
export class Submodules {
  #count = 0;

  constructor(
    private readonly deps: SubmoduleDeps,
    private readonly limits: TreeLimits,
  ) {}

  /** @throws BuildFailed it names the submodule */
  async fetch(parent: Checkout, submodules: readonly Submodule[]): Promise<void> {
    if (submodules.length === 0) return;
    const addresses = await addressesIn(parent);
    for (const submodule of submodules) {
      const path = join(parent.folder, submodule.path);
      try {
        await this.#fetchOne(parent, submodule, addresses.get(submodule.path));
      } catch (error) {
        if (!(error instanceof BuildFailed || error instanceof PrepareFailed)) throw error;
        const message = error.message.replace(/^repo_url/, "its address");
        throw new BuildFailed(
          message.startsWith("The submodule") ? message : `The submodule ${path}: ${message}`,
        );
      }
    }
  }

  async #fetchOne(parent: Checkout, { path, commit }: Submodule, address: string | undefined): Promise<void> {
    this.#count += 1;
    if (this.#count > MOST_SUBMODULES || parent.depth === MOST_DEPTH)
      throw new BuildFailed(
        `there are more than ${MOST_SUBMODULES}, or ${MOST_DEPTH} of them inside each other`,
      );
    if (address === undefined) throw new BuildFailed(".gitmodules does not say where it is");
    const { bench } = parent.session;
    const session = await this.#open(parent.session, absolute(address, parent.session.remote.url));
    const folder = join(parent.folder, path);
    bench.order.say(`Fetching the submodule ${folder} of ${session.remote.url}`);
    const work = await bench.folderFor(`submodule-${this.#count}`, session.user.uid);
    session.user.env.GIT_DIR = await bench.folderFor(`git-${this.#count}`, session.user.uid);
    session.user.env.GIT_WORK_TREE = work;
    await git(session, ["init", "--quiet", "--template="]);
    await fetchShallow(session, commit).catch((error) => {
      throw isNotHandedOut(error)
        ? new BuildFailed(`${session.remote.url} does not hand out its commit ${commit}`)
        : error;
    });
    const { submodules, largeFiles } = await this.limits.check(session, commit, folder);
    refuseLargeFiles(largeFiles);
    await git(session, ["checkout", "--quiet", "--force", "--detach", commit]);
    // Git left an empty folder there.
    await rename(work, join(bench.source, folder));
    await this.fetch({ session, commit, folder, depth: parent.depth + 1 }, submodules);
  }

  async #open(parent: GitSession, url: string): Promise<GitSession> {
    const { token, isolated, environment } = this.deps;
    const remote = await openRemote(url, this.deps);
    // The token is for one host: nobody else is to learn it.
    const own = remote.origin !== null && remote.origin === parent.remote.origin && parent.hasToken;
    const home = `git-home-${this.#count}`;
    const user = await gitUser(parent.bench, remote, {
      token: own ? token : null,
      isolated,
      environment,
      home,
    });
    return { bench: parent.bench, remote, user, hasToken: own };
  }
}

/** @throws BuildFailed a file's content is elsewhere */
export function refuseLargeFiles(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const named = paths.slice(0, 5).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  throw new BuildFailed(
    `${named}${more}: kept in Git LFS, which is not fetched. Commit the content itself, or upload the project (berth deploy)`,
  );
}

/** What `.gitmodules` says of where each submodule is, by its path. */
async function addressesIn({ session, commit }: Checkout): Promise<Map<string, string>> {
  const known = new Map<string, { path?: string; url?: string }>();
  const onLine = (line: string) => {
    const [, name, key, value] = /^submodule\.(.+)\.(path|url) (.*)$/.exec(line) ?? [];
    if (name !== undefined && key !== undefined) known.set(name, { ...known.get(name), [key]: value });
  };
  const question = ["--get-regexp", "^submodule\\..*\\.(path|url)$"];
  // 1: it says nothing of that; 128: it is not there.
  await git(session, ["config", "--blob", `${commit}:.gitmodules`, ...question], {
    onLine,
    fine: [0, 1, 128],
  });
  return new Map([...known.values()].flatMap(({ path, url }) => (path && url ? [[path, url]] : [])));
}

/** An address that begins with `./` or `../` is meant from that of the repository that names it. */
function absolute(url: string, parent: string): string {
  let base = parent.replace(/\/+$/, "");
  let rest = url;
  for (;;) {
    if (rest.startsWith("./")) rest = rest.slice(2);
    else if (rest.startsWith("../")) {
      rest = rest.slice(3);
      base = base.replace(/(?<=:)[^/:]*$|\/[^/]*$/, "");
    } else break;
  }
  if (rest === url) return url;
  return base.endsWith(":") ? `${base}${rest}` : `${base}/${rest}`;
}
