import { type GitRemote, gitFault } from "./git-remote.ts";
import type { GitUser } from "./git-user.ts";
import { BuildFailed, PrepareFailed } from "./order.ts";
import type { Workbench } from "./workbench.ts";

/** How long a question to a repository may take. */
const ASK_LIMIT_SECONDS = 60;
/** How long fetching one state of a repository may take. */
const CLONE_LIMIT_SECONDS = 300;

/** One conversation with a repository. */
export type GitSession = { bench: Workbench; remote: GitRemote; user: GitUser; hasToken: boolean };

const LAST_WORDS = 40;
const MOST_REFS = 100;

/**
 * What a remote says that its names stand for.
 * @throws PrepareFailed
 */
export async function ask(session: GitSession, patterns: string[]): Promise<Map<string, string>> {
  const { bench, remote, user, hasToken } = session;
  const refs = new Map<string, string>();
  const words: string[] = [];
  const { code, outOfTime } = await bench.quietly({
    command: ["git", "ls-remote", "--", remote.url, ...patterns],
    ...{ cwd: "/", uid: user.uid, env: user.env, limitSeconds: ASK_LIMIT_SECONDS },
    onLine: (line, from) => {
      const [, commit, name] = /^([0-9a-f]{40,64})\s+(\S+)$/.exec(line) ?? [];
      if (from === "stdout" && commit && name && refs.size < MOST_REFS) refs.set(name, commit);
      else if (from === "stderr") keepLast(words, line);
    },
  });
  if (outOfTime) throw new PrepareFailed(`${remote.url} did not answer within ${ASK_LIMIT_SECONDS} seconds`);
  if (code !== 0) throw new PrepareFailed(gitFault(words, remote, hasToken));
  return refs;
}

/** The commit of `what` without its history, by its id or a name. */
export function fetchShallow(session: GitSession, what: string): Promise<string[]> {
  return git(session, ["fetch", "--quiet", "--depth=1", "--no-tags", "--", session.remote.url, what]);
}

/** Whether a server does not hand a commit out by its id: it does not have it, or is of an old git. */
export const isNotHandedOut = (error: unknown): boolean =>
  error instanceof BuildFailed && /not our ref|unadvertised object/i.test(error.message);

/**
 * Runs git to its end; `fine` are its exit codes that are no failure.
 * @throws BuildFailed
 */
export async function git(
  { bench, remote, user, hasToken }: GitSession,
  args: string[],
  { onLine, fine = [0] }: { onLine?: (line: string) => void; fine?: readonly number[] } = {},
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
  if (!fine.includes(code)) throw new BuildFailed(gitFault(words, remote, hasToken));
  return answer;
}

function keepLast(lines: string[], line: string): void {
  if (line.trim() !== "") lines.push(line);
  if (lines.length > LAST_WORDS) lines.shift();
}
