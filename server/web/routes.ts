import { NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { consolePage, type Policy, page, pageFile } from "../access/index.ts";
import { type Operation, operation } from "../http/index.ts";
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
