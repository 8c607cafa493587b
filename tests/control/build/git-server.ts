import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A git server over HTTP of its own: git's program for that, behind a door that may ask for a token. */
export type GitServer = {
  url(repository: string): string;
  /** Makes a repository, `public` or `private`, with these files on its branch `main`; gives its folder. */
  repository(name: string, files: Record<string, string>): Promise<string>;
  /** Commits files; gives the commit. */
  commit(name: string, files: Record<string, string>, branch?: string): Promise<string>;
  /** Runs git in a repository's work folder. */
  git(name: string, ...args: string[]): Promise<string>;
  /** What was asked so far, path and `Authorization`. */
  asked: { path: string; authorization: string | null }[];
  stop(): void;
};

/** @param token what a repository whose name begins with `private` wants as the password */
export function serveGit(token: string): GitServer {
  const root = mkdtempSync(join(tmpdir(), "berth-git-"));
  const asked: GitServer["asked"] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const authorization = request.headers.get("authorization");
      asked.push({ path: pathname, authorization });
      if (pathname.startsWith("/moved"))
        return Response.redirect(request.url.replace("/moved", "/public"), 301);
      const wanted = `Basic ${btoa(`x-access-token:${token}`)}`;
      if (pathname.startsWith("/private") && authorization !== wanted)
        return new Response("no", { status: 401, headers: { "WWW-Authenticate": "Basic" } });
      return cgi(root, request);
    },
  });
  const git = async (name: string, ...args: string[]) => {
    const env = { ...process.env, ...IDENTITY, HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
    const child = Bun.spawn(["git", ...args], { cwd: join(root, `${name}.work`), env, stderr: "pipe" });
    const [out, words, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${words}`);
    return out.trim();
  };
  const commit: GitServer["commit"] = async (name, files, branch = "main") => {
    await git(name, "checkout", "-q", "-B", branch);
    for (const [path, text] of Object.entries(files)) await Bun.write(join(root, `${name}.work`, path), text);
    await git(name, "add", "-A", "-f");
    await git(name, "commit", "-q", "-m", "a change");
    await git(name, "push", "-q", "--all", join(root, name));
    return git(name, "rev-parse", "HEAD");
  };
  return {
    asked,
    git,
    commit,
    url: (repository) => `http://127.0.0.1:${server.port}/${repository}`,
    repository: async (name, files) => {
      await Bun.write(join(root, `${name}.work`, ".keep"), "");
      await git(name, "init", "-q", "-b", "main");
      await git(name, "init", "-q", "--bare", "-b", "main", join(root, name));
      if (Object.keys(files).length > 0) await commit(name, files);
      return join(root, name);
    },
    stop: () => {
      void server.stop(true);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.test",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.test",
};

async function cgi(root: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const child = Bun.spawn(["git", "http-backend"], {
    stdin: new Uint8Array(await request.arrayBuffer()),
    stdout: "pipe",
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers.get("content-type") ?? "",
      HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
      GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
    },
  });
  const output = Buffer.from(await new Response(child.stdout).arrayBuffer());
  const end = output.indexOf("\r\n\r\n");
  const headers = new Headers();
  for (const line of output.subarray(0, end).toString().split("\r\n")) {
    const at = line.indexOf(":");
    headers.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  const status = Number.parseInt(headers.get("status") ?? "200", 10);
  headers.delete("status");
  return new Response(output.subarray(end + 4), { status, headers });
}
