import { NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { consolePage, type Policy, page, pageFile } from "../access/index.ts";
import { type Operation, operation, Uuid } from "../http/index.ts";
import type { DocumentName } from "./page.ts";
import { pageAnswer } from "./page-answer.ts";
import type { Site } from "./site.ts";

const tag = "Page";
const answers = { 200: { description: "The page", mediaType: "text/html" } };

/** The chat: one document under every address of its own, and the files that it loads. */
export const webRoutes = (site: Site): Operation[] => [...chatDocuments(site), ...chatFiles(site)];

export const chatDocuments = (site: Site): Operation[] =>
  ["/", "/chat/:thread_id", "/sign-in"].map((path) => document(site, path, "index", page));

export const chatFiles = (site: Site): Operation[] => [
  document(site, "/chat/component", "component", page),
  asset(site),
];

/** The console: another document, under addresses of its own; where the chat is turned off, with its files. */
export const consoleRoutes = (site: Site, withFiles: boolean): Operation[] => [
  document(site, "/console", "console", consolePage),
  document(site, "/console/:area", "console", consolePage),
  document(site, "/console/:area/:id", "console", consolePage),
  document(site, "/console/:area/:id/:part", "console", consolePage),
  ...(withFiles ? [asset(site)] : []),
];

const SUMMARIES: Record<DocumentName, string> = {
  index: "The chat",
  console: "The console",
  docs: "API reference",
  component: "Where the chat draws a component of a project",
};

function document(site: Site, path: string, name: DocumentName, access: Policy): Operation {
  const names = [...path.matchAll(/:(\w+)/g)].map(
    ([, parameter = ""]) => [parameter, Type.String()] as const,
  );
  const level = path.split("/").length - 2;
  return operation(
    {
      method: "GET",
      path,
      access,
      bodyLimit: "none",
      tag,
      summary: SUMMARIES[name],
      answers,
      unlisted: true,
      ...(names.length > 0 ? { params: Type.Object(Object.fromEntries(names)) } : {}),
    },
    // The root ends with a slash as it is.
    ({ request }) =>
      path === "/" ? sent(site, name, request, level) : documentAnswer(site, name, request, level),
  );
}

/** A document for a path that many levels down. Behind a slash, addresses in it count from one level further down. */
export function documentAnswer(
  site: Site,
  name: DocumentName,
  request: Request,
  level: number,
): Promise<Response> {
  return sent(site, name, request, level + (new URL(request.url).pathname.endsWith("/") ? 1 : 0));
}

async function sent(site: Site, name: DocumentName, request: Request, level: number): Promise<Response> {
  return pageAnswer(
    await site.document(name, level),
    request,
    name === "component" ? "component" : "document",
  );
}

const asset = (site: Site) =>
  operation(
    {
      method: "GET",
      path: "/assets/:name",
      access: pageFile,
      bodyLimit: "none",
      tag,
      summary: "A file of the chat",
      params: Type.Object({ name: Type.String() }),
      answers: { 200: "The file", 404: "No such file" },
      unlisted: true,
    },
    async ({ path, request }) => {
      const file = await site.asset(path.name);
      if (!file) throw new NotFound("No such file");
      return pageAnswer(file, request, "asset");
    },
  );

/** Where released tools say that a deployment or a run can be looked at, and what the console has there. */
const LINKS = [
  { path: "/o/:tenant/host/deployments/:id", of: "a deployment", screen: "deployments" },
  { path: "/o/:tenant/projects/p/:session/r/:id", of: "a run", screen: "traces" },
] as const;

/**
 * Redirects to the console. They need no key, for they look nothing up: the answer is the same whatever there is,
 * and the console asks who is there.
 */
export const linkRoutes = (policy: Policy = consolePage): Operation[] =>
  LINKS.map(({ path, of, screen }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, Uuid] as const);
    return operation(
      {
        method: "GET",
        path,
        access: policy,
        bodyLimit: "none",
        tag: "Page",
        summary: `Where released tools look at ${of}`,
        params: Type.Object({ id: Uuid, ...Object.fromEntries(names) }),
        answers: { 302: "The console has it" },
        unlisted: true,
      },
      ({ path: { id }, request }) =>
        moved(`console/${screen}/${id}`, { request, depth: path.split("/").length - 2 }),
    );
  });

/** A way up from where the browser is: it holds behind a proxy that puts a path in front, too. */
function moved(to: string, { request, depth }: { request: Request; depth: number }): Response {
  const { pathname } = new URL(request.url);
  const further = Number(pathname.endsWith("/")) + Number(/\/api-host\/o\//.test(pathname));
  return new Response(null, { status: 302, headers: { location: "../".repeat(depth + further) + to } });
}
