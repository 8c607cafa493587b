import { NotFound, Unauthenticated } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { workspaceOf } from "../../control/routes/caller.ts";
import type { Access } from "../../http/access.ts";
import { type Operation, operation } from "../../http/operation.ts";
import { pathnameOf } from "../../http/pathname.ts";
import type { IssueRoutesDeps } from "../deps.ts";
import { documentOf } from "./document.ts";
import { html, type Markup } from "./html.ts";
import { issuePage, sessionPage } from "./pages.ts";

type Deps = Pick<IssueRoutesDeps, "sessions" | "issues" | "traces" | "engineRuns"> & {
  access: Access;
  /** In front of every path, also. */
  prefix: string;
};

/** What events link to: a page for people, until the console is there. */
export const consoleRoutes = (deps: Deps): Operation[] => [
  page(deps, "issues", async (workspaceId, id) => {
    const issue = await deps.issues.get(workspaceId, id);
    const session = await deps.sessions.get(workspaceId, issue.session_id);
    const traces = await deps.issues.traces(workspaceId, id, { limit: 100, offset: 0 });
    return { title: issue.name, content: issuePage(issue, session, traces) };
  }),
  page(deps, "sessions", async (workspaceId, id) => {
    const session = await deps.sessions.get(workspaceId, id);
    const sessionId = session.id;
    const issues = await deps.issues.list(workspaceId, { sessionId }, { limit: 100, offset: 0 });
    const { rows: traces } = await deps.traces.search(workspaceId, { sessionId, limit: 50 });
    const scans = await deps.engineRuns.list(workspaceId, { sessionId }, { limit: 10, offset: 0 });
    return { title: session.name, content: sessionPage(session, { issues, traces, scans }) };
  }),
];

/** Whoever has to sign in first is sent there by the page itself. */
export const isConsolePath = (pathname: string): boolean =>
  /^\/console\/(?:issues|sessions)\/[^/]+$/.test(pathname);

type Shown = { title: string; content: Markup };

function page(
  { access, prefix }: Deps,
  kind: "issues" | "sessions",
  show: (workspaceId: string, id: string) => Promise<Shown>,
): Operation {
  return operation(
    {
      method: "GET",
      path: `/console/${kind}/:id`,
      tag: "Page",
      summary: kind === "issues" ? "An issue" : "A tracing project",
      params: Type.Object({ id: Type.String() }),
      answers: { 200: { description: "The page", mediaType: "text/html" }, 303: "Where to sign in" },
      unlisted: true,
    },
    async ({ request, path }) => {
      try {
        // The page shows what the API does, so it asks for the same.
        const caller = await access.admit(request, `/v1/${kind}`);
        const { title, content } = await show(workspaceOf(caller), path.id.toLowerCase());
        return documentOf(title, content);
      } catch (error) {
        if (error instanceof NotFound) return documentOf("Not found", notFound, 404);
        if (!(error instanceof Unauthenticated) || access.hasProjectAuth) throw error;
        const next = pathnameOf(request.url, "");
        const location = `${next.startsWith(`${prefix}/`) ? prefix : ""}/sign-in?next=${encodeURIComponent(next)}`;
        return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
      }
    },
  );
}

const notFound = html`<h1>Not found</h1><p>There is none of this id, or it belongs to another workspace.</p>`;
