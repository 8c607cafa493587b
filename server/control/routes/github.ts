import { BadRequest, Unavailable } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";

export type Repository = { id: number; name: string; owner: string; url: string; default_branch: string };

const PAGE = 100;
const MOST_PAGES = 10;
const LIMIT_MS = 10_000;

// Only what is passed on (docs.github.com/rest/repos/repos, "List repositories for the authenticated user").
const Listed = Type.Array(
  Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    owner: Type.Object({ login: Type.String() }),
    html_url: Type.String(),
    default_branch: Type.String(),
  }),
);
const listed = TypeCompiler.Compile(Listed);

type Asked = { apiUrl: string; token: string; signal: AbortSignal };

/**
 * The repositories that a personal token opens, those that were pushed to last in front.
 * @throws BadRequest GitHub does not take the token
 * @throws Unavailable GitHub does not answer as it should
 */
export async function repositoriesOf(asked: Asked): Promise<Repository[]> {
  const found: Repository[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const repositories = await pageOf(asked, page);
    for (const { id, name, owner, html_url, default_branch } of repositories)
      found.push({ id, name, owner: owner.login, url: html_url, default_branch });
    if (repositories.length < PAGE) break;
  }
  return found;
}

async function pageOf({ apiUrl, token, signal }: Asked, page: number): Promise<Static<typeof Listed>> {
  const response = await fetch(`${apiUrl}/user/repos?sort=pushed&per_page=${PAGE}&page=${page}`, {
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "berth",
    },
    // A token must not follow to another host.
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
  }).catch((cause: unknown) => {
    throw new Unavailable("GitHub does not answer", { cause });
  });
  if (response.status === 401 || response.status === 403)
    throw new BadRequest(`GitHub does not take the token of this integration (${response.status})`);
  const repositories: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (!listed.Check(repositories))
    throw new Unavailable(`GitHub does not answer as it should (${response.status})`);
  return repositories;
}
