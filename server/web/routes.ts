import { NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { type Operation, operation } from "../http/operation.ts";
import type { DocumentName } from "./page.ts";
import { pageAnswer } from "./page-answer.ts";
import type { Site } from "./site.ts";

const tag = "Page";
const answers = { 200: { description: "The page", mediaType: "text/html" } };

/** The chat: one document under every address of its own, and the files that it loads. */
export const webRoutes = (site: Site): Operation[] => [
  document(site, "/", "index"),
  document(site, "/chat/component", "component"),
  document(site, "/chat/:thread_id", "index"),
  document(site, "/sign-in", "index"),
  asset(site),
];

/** The console: another document, under addresses of its own; where the chat is turned off, with its files. */
export const consoleRoutes = (site: Site, withFiles: boolean): Operation[] => [
  document(site, "/console", "console"),
  document(site, "/console/:area", "console"),
  document(site, "/console/:area/:id", "console"),
  document(site, "/console/:area/:id/:part", "console"),
  ...(withFiles ? [asset(site)] : []),
];

/** Whoever may not call yet has to load the page in order to sign in. */
export const isPagePath = (pathname: string): boolean =>
  /^\/(?:(?:chat|assets)\/[^/]+|sign-in|sign-out|api\/session)?$/.test(pathname);

/** A file that the page loads. */
export const isPageFile = (pathname: string, method: string): boolean =>
  (method === "GET" || method === "HEAD") && /^\/assets\/[^/]+$/.test(pathname);

/** The same of the console, which signs in for itself. */
export const isConsolePath = (pathname: string): boolean => /^\/console(?:\/[^/]+){0,3}\/?$/.test(pathname);

const SUMMARIES: Record<DocumentName, string> = {
  index: "The chat",
  console: "The console",
  component: "Where the chat draws a component of a project",
};

function document(site: Site, path: string, name: DocumentName): Operation {
  const names = [...path.matchAll(/:(\w+)/g)].map(
    ([, parameter = ""]) => [parameter, Type.String()] as const,
  );
  const level = path.split("/").length - 2;
  return operation(
    {
      method: "GET",
      path,
      tag,
      summary: SUMMARIES[name],
      answers,
      unlisted: true,
      ...(names.length > 0 ? { params: Type.Object(Object.fromEntries(names)) } : {}),
    },
    async ({ request }) => {
      // With a slash at the end, addresses in the document count from one level further down.
      const down = level + (path !== "/" && new URL(request.url).pathname.endsWith("/") ? 1 : 0);
      const kind = name === "component" ? "component" : "document";
      return pageAnswer(await site.document(name, down), request, kind);
    },
  );
}

const asset = (site: Site) =>
  operation(
    {
      method: "GET",
      path: "/assets/:name",
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
